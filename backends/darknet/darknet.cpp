// SPDX-License-Identifier: Apache-2.0
// darknet's convolutional layer behind the plugin ABI: square kernels, one stride, the same padding
// at every edge, groups; no dilation. Debian's build turns off subnormal numbers when it is loaded:
// the adapter turns them on again, so that values show what the library computes.
#include <darknet.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"

// Exported by libdarknet.so, and declared in headers of its sources alone.
extern "C" {
layer make_convolutional_layer(int batch, int h, int w, int c, int n, int groups, int size,
                               int stride, int padding, ACTIVATION activation, int batch_normalize,
                               int binary, int xnor, int adam);
void forward_convolutional_layer(layer l, network net);
}

namespace concord::backends {
namespace {

/// A layer has one number for all its edges.
bool darknet_pads(const PaddedConvolution& p) {
  return p.spatial_rank == 2 && p.pad_begin == p.pad_end && p.pad_begin[0] == p.pad_begin[1];
}

/// The layer knows groups: it gets all of them in one call.
PaddedConvolution as_one_group(PaddedConvolution p) {
  p.G = 1;
  return p;
}

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(const Problem& problem, const PaddedConvolution& p,
                      const PrepareOptions& options)
      : StagedConvolution(problem.dtype, as_one_group(p), options, channels_first(),
                          !darknet_pads(p)) {
    const Window& w = window();
    const auto narrow = [](Extent value) { return static_cast<int>(value); };
    layer_ = make_convolutional_layer(narrow(p.N), narrow(w.I[1]), narrow(w.I[2]), narrow(p.IC),
                                      narrow(p.OC), narrow(p.G), narrow(w.K[1]), narrow(w.S[1]),
                                      narrow(w.pad_begin[1]), LINEAR, 0, 0, 0, 0);
    workspace_.resize(layer_.workspace_size);
  }
  ~PreparedConvolution() override { free_layer(layer_); }
  PreparedConvolution(const PreparedConvolution&) = delete;
  PreparedConvolution& operator=(const PreparedConvolution&) = delete;

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    const auto bytes = [](int elements) {
      return static_cast<std::size_t>(elements) * sizeof(float);
    };
    std::memcpy(layer_.weights, group.weights, bytes(layer_.nweights));
    if (group.bias == nullptr) {
      std::fill_n(layer_.biases, layer_.n, 0.0F);
    } else {
      std::memcpy(layer_.biases, group.bias, bytes(layer_.n));
    }
    network net{};
    net.input = reinterpret_cast<float*>(const_cast<std::byte*>(group.src));
    net.workspace = reinterpret_cast<float*>(workspace_.data());
    forward_convolutional_layer(layer_, net);
    std::memcpy(group.dst, layer_.output, bytes(layer_.outputs * layer_.batch));
    return std::nullopt;
  }

  layer layer_{};
  std::vector<std::byte> workspace_;
};

class Darknet : public LoweringBackend {
 public:
  Darknet() {
    constexpr unsigned kFlushes = 0x8040;  // FTZ and DAZ of MXCSR; threads inherit them
    _mm_setcsr(_mm_getcsr() & ~kFlushes);
  }

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32) {
      return declines("darknet computes in float, not in " + std::string(to_string(problem.dtype)));
    }
    if (p.spatial_rank != 2) return declines("darknet convolves two spatial axes");
    if (p.K[0] != p.K[1]) return declines("darknet's kernels are square");
    if (p.S[0] != p.S[1]) return declines("darknet has one stride for both axes");
    for (const Extent dilation : p.D) {
      if (dilation != 1) return declines("darknet has no dilation: " + std::to_string(dilation));
    }
    return cannot_stage(problem.dtype, p);
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    answer.same_bits_any_threads = true;  // it is always one
    answer.adapter_part = staging_part(problem, as_one_group(p), !darknet_pads(p),
                                       "turns subnormal numbers on again");
    answer.implementation = "convolutional layer";
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(std::make_unique<PreparedConvolution>(problem, p, options));
  }
};

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("darknet", "2018-09-14", concord::backends::open_plain<concord::backends::Darknet>)
