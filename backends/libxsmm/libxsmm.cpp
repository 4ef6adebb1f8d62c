// SPDX-License-Identifier: Apache-2.0
// LIBXSMM's direct convolution behind the plugin ABI, in its own blocked layout: it copies tensors
// in and out itself. It has two spatial axes, no dilation, no groups, and padding that is the same
// at both ends. A bias is what dst holds before, onto which LIBXSMM adds.
#include <libxsmm.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"

namespace concord::backends {
namespace {

constexpr auto kForward = LIBXSMM_DNN_COMPUTE_KIND_FWD;
// As LIBXSMM's own samples align.
constexpr std::size_t kAlignment = 64;

bool libxsmm_pads(const PaddedConvolution& p) { return p.pad_begin == p.pad_end; }

void check(libxsmm_dnn_err_t status) {
  if (status >= LIBXSMM_DNN_ERR_GENERAL) throw std::runtime_error(libxsmm_dnn_get_error(status));
}

struct FreeMemory {
  void operator()(void* memory) const { libxsmm_free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

struct DestroyLayer {
  void operator()(libxsmm_dnn_layer* layer) const { libxsmm_dnn_destroy_conv_layer(layer); }
};
using Layer = std::unique_ptr<libxsmm_dnn_layer, DestroyLayer>;

libxsmm_dnn_conv_desc describe(Dtype dtype, const PaddedConvolution& p, const Window& w) {
  const auto narrow = [](Extent value) { return static_cast<int>(value); };
  libxsmm_dnn_conv_desc desc{};
  desc.N = narrow(p.N);
  desc.C = narrow(p.ICG());
  desc.H = narrow(w.I[1]);
  desc.W = narrow(w.I[2]);
  desc.K = narrow(p.OCG());
  desc.R = narrow(w.K[1]);
  desc.S = narrow(w.K[2]);
  desc.u = narrow(w.S[1]);
  desc.v = narrow(w.S[2]);
  desc.pad_h = narrow(w.pad_begin[1]);
  desc.pad_w = narrow(w.pad_begin[2]);
  desc.threads = 1;
  desc.datatype_in = desc.datatype_out =
      dtype == Dtype::kF32 ? LIBXSMM_DNN_DATATYPE_F32 : LIBXSMM_DNN_DATATYPE_BF16;
  desc.buffer_format = desc.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_LIBXSMM;
  desc.algo = LIBXSMM_DNN_CONV_ALGO_DIRECT;
  desc.options = p.bias_stride ? LIBXSMM_DNN_CONV_OPTION_NONE : LIBXSMM_DNN_CONV_OPTION_OVERWRITE;
  desc.fuse_ops = LIBXSMM_DNN_CONV_FUSE_NONE;
  return desc;
}

/// Errors  throws std::runtime_error with LIBXSMM's reason where it has no such layer
Layer make_layer(Dtype dtype, const PaddedConvolution& p, const Window& w) {
  libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
  Layer layer(libxsmm_dnn_create_conv_layer(describe(dtype, p, w), &status));
  check(status);
  if (!layer) throw std::runtime_error("LIBXSMM makes no layer");
  return layer;
}

/// A tensor of LIBXSMM's, bound to its layer, with memory of its own.
class Bound {
 public:
  Bound(libxsmm_dnn_layer* layer, libxsmm_dnn_tensor_type type) {
    libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
    auto* layout = libxsmm_dnn_create_tensor_datalayout(layer, type, &status);
    check(status);
    memory_.reset(libxsmm_aligned_malloc(libxsmm_dnn_get_tensor_size(layout, &status), kAlignment));
    tensor_ = libxsmm_dnn_link_tensor(layout, memory_.get(), &status);
    libxsmm_dnn_destroy_tensor_datalayout(layout);
    check(status);
    check(libxsmm_dnn_zero_tensor(tensor_));
    check(libxsmm_dnn_bind_tensor(layer, tensor_, type));
  }
  ~Bound() { libxsmm_dnn_destroy_tensor(tensor_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  void copy_in(const void* data, libxsmm_dnn_tensor_format format) {
    check(libxsmm_dnn_copyin_tensor(tensor_, data, format));
  }
  void copy_out(void* data) {
    check(libxsmm_dnn_copyout_tensor(tensor_, data, LIBXSMM_DNN_TENSOR_FORMAT_NCHW));
  }

 private:
  Memory memory_;
  libxsmm_dnn_tensor* tensor_ = nullptr;
};

class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(const Problem& problem, const PaddedConvolution& p,
                      const PrepareOptions& options)
      : StagedConvolution(problem.dtype, p, options, channels_first(), !libxsmm_pads(p)),
        layer_(make_layer(problem.dtype, p, window())),
        src_(layer_.get(), LIBXSMM_DNN_REGULAR_INPUT),
        weights_(layer_.get(), LIBXSMM_DNN_REGULAR_FILTER),
        dst_(layer_.get(), LIBXSMM_DNN_REGULAR_OUTPUT) {
    libxsmm_dnn_err_t status = LIBXSMM_DNN_SUCCESS;
    const std::size_t bytes = libxsmm_dnn_get_scratch_size(layer_.get(), kForward, &status);
    check(status);
    scratch_.reset(libxsmm_aligned_malloc(bytes + kAlignment, kAlignment));
    check(libxsmm_dnn_bind_scratch(layer_.get(), kForward, scratch_.get()));
  }

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    src_.copy_in(group.src, LIBXSMM_DNN_TENSOR_FORMAT_NCHW);
    weights_.copy_in(group.weights, LIBXSMM_DNN_TENSOR_FORMAT_KCRS);
    if (group.bias != nullptr) put_bias(reinterpret_cast<const float*>(group.bias));
    check(libxsmm_dnn_execute_st(layer_.get(), kForward, /*start_thread=*/0, /*tid=*/0));
    dst_.copy_out(group.dst);
    return std::nullopt;
  }

  void put_bias(const float* bias) {
    const PaddedConvolution& p = problem();
    const auto plane = static_cast<std::size_t>(window().O[1] * window().O[2]);
    std::vector<float> before;
    for (Extent n = 0; n < p.N; ++n) {
      for (Extent oc = 0; oc < p.OCG(); ++oc) before.insert(before.end(), plane, bias[oc]);
    }
    dst_.copy_in(before.data(), LIBXSMM_DNN_TENSOR_FORMAT_NCHW);
  }

  Layer layer_;
  Bound src_, weights_, dst_;
  Memory scratch_;
};

class Libxsmm : public LoweringBackend {
 public:
  Libxsmm() { libxsmm_init(); }

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32 && problem.dtype != Dtype::kBF16) {
      return declines("LIBXSMM convolves f32 and bf16, not " +
                      std::string(to_string(problem.dtype)));
    }
    if (problem.dtype == Dtype::kBF16 && libxsmm_get_target_archid() < LIBXSMM_X86_AVX512_CORE) {
      return declines(std::string("LIBXSMM convolves bf16 with AVX-512, not ") +
                      libxsmm_get_target_arch());
    }
    if (p.spatial_rank > 2) return declines("LIBXSMM convolves two spatial axes");
    for (const Extent dilation : p.D) {
      if (dilation != 1) return declines("LIBXSMM has no dilation: " + std::to_string(dilation));
    }
    if (problem.dtype == Dtype::kBF16 && p.bias_stride) {
      return declines("LIBXSMM has no bias; in bf16 it would be rounded with every block");
    }
    if (auto no = cannot_stage(problem.dtype, p)) return no;
    try {  // LIBXSMM finds out only when it makes the layer and its tensors
      const PreparedConvolution trial(problem, p, {});
    } catch (const std::runtime_error& error) {
      return declines(error.what());
    }
    return std::nullopt;
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    // The instruction for bf16, VDPBF16PS, takes subnormals for zero.
    answer.arithmetic.flushes_subnormals =
        problem.dtype == Dtype::kBF16 && libxsmm_get_target_archid() >= LIBXSMM_X86_AVX512_CPX;
    answer.same_bits_any_threads = true;  // it is always one
    answer.adapter_part = staging_part(problem, p, !libxsmm_pads(p));
    answer.implementation = std::string("direct convolution, ") + libxsmm_get_target_arch();
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(std::make_unique<PreparedConvolution>(problem, p, options));
  }
};

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("libxsmm", LIBXSMM_VERSION,
                concord::backends::open_plain<concord::backends::Libxsmm>)
