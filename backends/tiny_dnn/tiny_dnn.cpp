// SPDX-License-Identifier: Apache-2.0
// tiny-dnn's convolution behind the plugin ABI, by the backend "internal" of its convolutional
// layer or, with the configuration "avx", by the one of that name. It has two spatial axes, no
// dilation, and padding that keeps the size alone, so the adapter pads. Its tensors are float
// unless it is compiled otherwise.
//
// The adapter calls the layer's kernels: the layer itself includes headers that Debian's package
// has not.
#include <string>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"
#include "backends/tiny_dnn/kernel.h"

namespace concord::backends {
namespace {

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(const Problem& problem, const PaddedConvolution& p,
                      const PrepareOptions& options, MakeTinyDnnKernel make_kernel)
      : StagedConvolution(problem.dtype, p, options, channels_first(), /*adapter_pads=*/true),
        kernel_(make_kernel(p, window())) {}

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    kernel_->run(group);
    return std::nullopt;
  }

  std::unique_ptr<TinyDnnKernel> kernel_;
};

class TinyDnn : public LoweringBackend {
 public:
  explicit TinyDnn(bool avx) : avx_(avx) {}

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32) {
      return declines("tiny-dnn computes in float, not in " +
                      std::string(to_string(problem.dtype)));
    }
    if (p.spatial_rank > 2) return declines("tiny-dnn convolves two spatial axes");
    for (const Extent dilation : p.D) {
      if (dilation != 1) return declines("tiny-dnn has no dilation: " + std::to_string(dilation));
    }
    return cannot_stage(problem.dtype, p);
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    answer.same_bits_any_threads = true;  // it is always one
    answer.adapter_part = staging_part(problem, p, /*adapter_pads=*/true);
    const bool has_kernel = avx_ && p.spatial_rank == 2 && p.K[0] == 5 && p.K[1] == 5;
    answer.implementation = has_kernel ? "avx_conv2d_5x5_kernel" : "conv2d_op_internal";
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(std::make_unique<PreparedConvolution>(
        problem, p, options, avx_ ? avx_kernel : internal_kernel));
  }

  bool avx_;
};

Or<std::unique_ptr<Backend>> open_tiny_dnn(const std::string& config) {
  if (!config.empty() && config != "avx") {
    return invalid("this backend knows the configuration 'avx', not '" + config + "'");
  }
  if (config == "avx" && !__builtin_cpu_supports("avx")) {
    return declines("this processor has no AVX");
  }
  return std::unique_ptr<Backend>(std::make_unique<TinyDnn>(config == "avx"));
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("tiny_dnn", "1.0.0a3", concord::backends::open_tiny_dnn)
