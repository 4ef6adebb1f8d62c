// SPDX-License-Identifier: Apache-2.0
// The convolution layer of OpenCV's dnn module behind the plugin ABI, as a net of one layer.
// SAME_UPPER is the layer's own pad_mode "SAME"; other padding is given as numbers. One spatial
// axis is an image of height 1.
#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"

namespace concord::backends {
namespace {

/// Does the problem ask for the SAME that the layer computes?
bool is_same_upper(const Problem& problem) {
  if (problem.reading == Reading::kDocumented) return false;
  const auto* graph = std::get_if<ConvolutionAttributes>(&problem.attributes);
  const auto* older = std::get_if<Convolution1Attributes>(&problem.attributes);
  return (graph != nullptr && graph->auto_pad == AutoPad::kSameUpper) ||
         (older != nullptr && older->auto_pad == AutoPad::kSameUpper);
}

/// The layer refuses padding that differs between the ends of an axis.
bool adapter_pads(const Problem& problem, const PaddedConvolution& p) {
  return !is_same_upper(problem) && p.pad_begin != p.pad_end;
}

/// The axes that the layer sees: at least two.
std::vector<int> axes_of(const Window::Spatial& values, std::size_t spatial_rank) {
  const std::size_t count = std::max<std::size_t>(spatial_rank, 2);
  std::vector<int> axes;
  for (std::size_t axis = 3 - count; axis < 3; ++axis) {
    axes.push_back(static_cast<int>(values[axis]));
  }
  return axes;
}

std::vector<int> dims_of(Extent outer, Extent channels, const Window::Spatial& spatial,
                         std::size_t spatial_rank) {
  std::vector<int> dims = {static_cast<int>(outer), static_cast<int>(channels)};
  const std::vector<int> axes = axes_of(spatial, spatial_rank);
  dims.insert(dims.end(), axes.begin(), axes.end());
  return dims;
}

/// A Mat of the memory at `data`, which OpenCV does not write.
cv::Mat matrix(const std::vector<int>& dims, const std::byte* data) {
  return {dims, CV_32F, const_cast<std::byte*>(data)};
}

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(const Problem& problem, const PaddedConvolution& p,
                      const PrepareOptions& options)
      : StagedConvolution(problem.dtype, as_one_group(p), options, channels_first(),
                          adapter_pads(problem, p)),
        groups_(static_cast<int>(p.G)),
        threads_(options.threads),
        same_(is_same_upper(problem)) {}

 private:
  /// The layer knows groups: it gets all of them in one call.
  static PaddedConvolution as_one_group(PaddedConvolution p) {
    p.G = 1;
    return p;
  }

  std::optional<Refused> convolve(const GroupMemory& group) override {
    const PaddedConvolution& p = problem();
    cv::setNumThreads(threads_);
    cv::dnn::LayerParams layer = parameters(group);
    cv::dnn::Net net;
    net.addLayerToPrev("convolution", "Convolution", layer);
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    net.setInput(matrix(dims_of(p.N, p.IC, window().I, p.spatial_rank), group.src));
    cv::Mat dst = net.forward();
    const std::vector<int> dims = dims_of(p.N, p.OC, window().O, p.spatial_rank);
    if (std::vector<int>(dst.size.p, dst.size.p + dst.dims) != dims) {
      return Refused{CONCORD_FAULT, "OpenCV's output has another shape"};
    }
    dst.copyTo(matrix(dims, group.dst));
    return std::nullopt;
  }

  cv::dnn::LayerParams parameters(const GroupMemory& group) const {
    const PaddedConvolution& p = problem();
    const auto set = [](cv::dnn::LayerParams& to, const char* name, const std::vector<int>& list) {
      to.set(name, cv::dnn::DictValue::arrayInt(list.data(), static_cast<int>(list.size())));
    };
    const auto axes = [&p](const Window::Spatial& values) {
      return axes_of(values, p.spatial_rank);
    };
    cv::dnn::LayerParams layer;
    layer.set("num_output", static_cast<int>(p.OC));
    layer.set("group", groups_);
    layer.set("bias_term", group.bias != nullptr);
    set(layer, "kernel_size", axes(window().K));
    set(layer, "stride", axes(window().S));
    set(layer, "dilation", axes(window().D));
    if (same_) {
      layer.set("pad_mode", cv::String("SAME"));
    } else {
      std::vector<int> pads = axes(window().pad_begin);
      const std::vector<int> behind = axes(window().pad_end);
      pads.insert(pads.end(), behind.begin(), behind.end());
      set(layer, "pad", pads);
    }
    // Clones: the layer may rearrange what it gets.
    layer.blobs.push_back(
        matrix(dims_of(p.OC, p.IC / groups_, window().K, p.spatial_rank), group.weights).clone());
    if (group.bias != nullptr) {
      layer.blobs.push_back(matrix({1, static_cast<int>(p.OC)}, group.bias).clone());
    }
    return layer;
  }

  int groups_, threads_;
  bool same_;
};

class OpenCv : public LoweringBackend {
 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32) {
      return declines("OpenCV's layer computes in float, not in " +
                      std::string(to_string(problem.dtype)));
    }
    return cannot_stage(problem.dtype, p);
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    answer.arithmetic.flushes_subnormals = 1;  // forward() turns flushing on
    answer.adapter_part = part_of(problem, p);
    answer.implementation = "dnn, convolution layer";
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(std::make_unique<PreparedConvolution>(problem, p, options));
  }

  static std::string part_of(const Problem& problem, PaddedConvolution p) {
    p.G = 1;  // the groups are OpenCV's
    const std::string height = p.spatial_rank == 1 ? "one spatial axis as height 1" : "";
    return is_same_upper(problem) ? height
                                  : staging_part(problem, p, adapter_pads(problem, p), height);
  }
};

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("opencv", CV_VERSION, concord::backends::open_plain<concord::backends::OpenCv>)
