// SPDX-License-Identifier: Apache-2.0
// dlib's tensor_conv behind the plugin ABI: an im2col and a matrix product of the system's BLAS for
// each image. It has two spatial axes, no dilation, no groups, and padding that is the same at
// both ends and smaller than the kernel.
#include <dlib/cuda/tensor_tools.h>
#include <dlib/revision.h>

#include <cstring>
#include <string>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"

namespace concord::backends {
namespace {

/// dlib's setup() asserts that its padding is smaller than the kernel.
bool dlib_pads(const PaddedConvolution& p) {
  for (std::size_t axis = 0; axis < p.spatial_rank; ++axis) {
    if (p.pad_begin[axis] != p.pad_end[axis] || p.pad_begin[axis] >= p.K[axis]) return false;
  }
  return true;
}

void copy_into(dlib::resizable_tensor& tensor, const std::byte* from) {
  std::memcpy(tensor.host_write_only(), from, tensor.size() * sizeof(float));
}

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(const Problem& problem, const PaddedConvolution& p,
                      const PrepareOptions& options)
      : StagedConvolution(problem.dtype, p, options, channels_first(), !dlib_pads(p)) {
    const Window& w = window();
    src_.set_size(p.N, p.ICG(), w.I[1], w.I[2]);
    weights_.set_size(p.OCG(), p.ICG(), w.K[1], w.K[2]);
    bias_.set_size(1, p.OCG());
    dst_.set_size(p.N, p.OCG(), w.O[1], w.O[2]);
  }

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    const Window& w = window();
    copy_into(src_, group.src);
    copy_into(weights_, group.weights);
    convolution_.setup(src_, weights_, static_cast<int>(w.S[1]), static_cast<int>(w.S[2]),
                       static_cast<int>(w.pad_begin[1]), static_cast<int>(w.pad_begin[2]));
    if (group.bias == nullptr) {
      convolution_(/*add_to_output=*/false, dst_, src_, weights_);
    } else {
      copy_into(bias_, group.bias);
      convolution_(/*add_to_output=*/false, dst_, src_, weights_, bias_);
    }
    std::memcpy(group.dst, dst_.host(), dst_.size() * sizeof(float));
    return std::nullopt;
  }

  dlib::tt::tensor_conv convolution_;
  dlib::resizable_tensor src_, weights_, bias_;
  dlib::resizable_tensor dst_;
};

class Dlib : public LoweringBackend {
 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32) {
      return declines("dlib's tensors hold float, not " + std::string(to_string(problem.dtype)));
    }
    if (p.spatial_rank > 2) return declines("dlib convolves two spatial axes");
    for (const Extent dilation : p.D) {
      if (dilation != 1) return declines("dlib has no dilation: " + std::to_string(dilation));
    }
    return cannot_stage(problem.dtype, p);
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    answer.adapter_part = staging_part(problem, p, !dlib_pads(p));
    answer.implementation = "tensor_conv on the CPU";
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(std::make_unique<PreparedConvolution>(problem, p, options));
  }
};

const char* version_text() {
  static const std::string text = std::to_string(DLIB_MAJOR_VERSION) + "." +
                                  std::to_string(DLIB_MINOR_VERSION) + "." +
                                  std::to_string(DLIB_PATCH_VERSION);
  return text.c_str();
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("dlib", concord::backends::version_text(),
                concord::backends::open_plain<concord::backends::Dlib>)
