// SPDX-License-Identifier: Apache-2.0
// XNNPACK's NHWC convolution behind the plugin ABI: two spatial axes, f32 and f16.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/views.h"
#include "backends/xnnpack/operator.h"
#include "spec/copy.h"

namespace concord::backends {
namespace {

std::size_t bytes_of(Dtype dtype, const Tensor& tensor) {
  return static_cast<std::size_t>(*element_count(tensor.dims)) * size_of(dtype);
}

/// A user's tensor, and the dense one in the axis order that XNNPACK reads or writes.
struct Conversion {
  Conversion(Dtype dtype, const Tensor& user_tensor)
      : element_bytes(size_of(dtype)),
        bytes(bytes_of(dtype, user_tensor)),
        user(user_tensor),
        packed(dense(user_tensor)) {}

  void pack(const void* from, void* to) const {
    copy_elements(element_bytes, user, from, packed, to);
  }
  void unpack(const void* from, void* to) const {
    copy_elements(element_bytes, packed, from, user, to);
  }

  std::size_t element_bytes, bytes;
  Tensor user, packed;
};

/// src and dst as [N,D,H,W,G,C/G], weights as [G,OC/G,KD,KH,KW,IC/G]; D and KD are 1.
struct Conversions {
  Conversions(Dtype dtype, const Views& views)
      : src(dtype, ordered(views.src, {0, 3, 4, 5, 1, 2})),
        weights(dtype, ordered(views.weights, {0, 1, 3, 4, 5, 2})),
        dst(dtype, ordered(views.dst, {0, 3, 4, 5, 1, 2})),
        bias(dtype, views.bias) {}
  Conversion src, weights, dst, bias;
};

Refused fault(const char* what, xnn_status status) {
  return {CONCORD_FAULT, std::string("XNNPACK cannot ") + what + ": " + to_text(status)};
}

class PreparedConvolution : public Prepared {
 public:
  PreparedConvolution(Dtype dtype, const PaddedConvolution& p, int threads)
      : dtype_(dtype),
        convolution_(p),
        conversions_(dtype, views_of(p)),
        src_(conversions_.src.bytes + XNN_EXTRA_BYTES),
        dst_(is_dense(conversions_.dst.user) ? 0 : conversions_.dst.bytes),
        pool_(pool_of(threads)) {}

  /// Packs the weights into a new operator.
  std::optional<Refused> load(const void* weights, const void* bias) {
    std::vector<std::byte> packed_weights(conversions_.weights.bytes);
    std::vector<std::byte> packed_bias(convolution_.bias_stride ? conversions_.bias.bytes : 0);
    conversions_.weights.pack(weights, packed_weights.data());
    if (convolution_.bias_stride) conversions_.bias.pack(bias, packed_bias.data());
    xnn_status status = xnn_status_success;
    operator_ = make_operator(dtype_, convolution_, packed_weights.data(),
                              convolution_.bias_stride ? packed_bias.data() : nullptr, status);
    if (operator_ == nullptr) return fault("make the operator", status);
    return std::nullopt;
  }
  void keep_weights() { keeps_weights_ = true; }

  std::optional<Refused> execute(const Buffers& buffers) override {
    if (!keeps_weights_) {
      if (auto refused = load(buffers.weights.data, buffers.bias.data)) return refused;
    }
    conversions_.src.pack(buffers.src.data, src_.data());
    void* dst = dst_.empty() ? buffers.dst.data : dst_.data();
    const xnn_status status = run(operator_, dtype_, convolution_, src_.data(), dst, pool_);
    if (status != xnn_status_success) return fault("run the operator", status);
    if (!dst_.empty()) conversions_.dst.unpack(dst_.data(), buffers.dst.data);
    return std::nullopt;
  }

 private:
  Dtype dtype_;
  PaddedConvolution convolution_;
  Conversions conversions_;
  std::vector<std::byte> src_, dst_;  // src with slack behind it; dst empty if the user's will do
  pthreadpool_t pool_;
  Operator operator_;
  bool keeps_weights_ = false;
};

class Xnnpack : public LoweringBackend {
 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32 && problem.dtype != Dtype::kF16) {
      return declines("XNNPACK has no " + std::string(to_string(problem.dtype)));
    }
    if (problem.dtype == Dtype::kF16 && !has_f16()) {
      return declines("XNNPACK has no f16 on this processor");
    }
    if (p.spatial_rank > 2) {
      return declines("XNNPACK has no convolution with " + std::to_string(p.spatial_rank) +
                      " spatial axes");
    }
    if (p.IC == 0 || p.OC == 0) return declines("XNNPACK has no convolution without channels");
    if (std::find(p.I.begin(), p.I.end(), 0) != p.I.end()) {
      return declines("XNNPACK has no convolution of images without pixels");
    }
    // It takes the difference of padded input and dilated kernel as 0 where it is negative.
    if (std::find(p.O.begin(), p.O.end(), 0) != p.O.end()) {
      return declines("XNNPACK computes one window even where none fits into the padded input");
    }
    if (const auto why = beyond_limits(p)) return declines(*why);
    return std::nullopt;
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    answer.arithmetic = arithmetic_of(problem.dtype);
    // One thread computes each output, by the same kernel for any number of them.
    answer.same_bits_any_threads = true;
    answer.adapter_part = adapter_part(problem, p);
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    auto prepared = std::make_unique<PreparedConvolution>(problem.dtype, p, options.threads);
    if (options.weights != nullptr && (!p.bias_stride || options.bias != nullptr)) {
      if (auto refused = prepared->load(options.weights, options.bias)) return *refused;
      prepared->keep_weights();
    }
    return std::unique_ptr<Prepared>(std::move(prepared));
  }

  /// Does this processor have f16 kernels? The operator of one tap tells.
  static bool has_f16() {
    static const bool has = [] {
      PaddedConvolution p;
      p.spatial_rank = 2;
      p.N = p.IC = p.OC = 1;
      p.I = p.O = p.K = p.S = p.D = {1, 1};
      p.pad_begin = p.pad_end = {0, 0};
      const std::uint16_t weights = 0;
      xnn_status status = xnn_status_success;
      make_operator(Dtype::kF16, p, &weights, nullptr, status);
      return status == xnn_status_success;
    }();
    return has;
  }

  static concord_arithmetic arithmetic_of(Dtype dtype) {
    concord_arithmetic arithmetic{};
    if (dtype == Dtype::kF16) {
      // The kernels for x86 fuse multiply and add in f32 but round every sum to f16 (VFMADD, then
      // VCVTPS2PH, which heeds no flushing): accumulation in f16.
      arithmetic.accumulator = CONCORD_ACCUMULATE_F16;
    } else {
      // Operators run with PTHREADPOOL_FLAG_DISABLE_DENORMALS.
      arithmetic.flushes_subnormals = 1;
    }
    return arithmetic;
  }

  static std::string adapter_part(const Problem& problem, const PaddedConvolution& p) {
    std::string part = lowering_part(problem);
    const auto add = [&part](const char* text) {
      part.append(part.empty() ? "" : ", ").append(text);
    };
    if (p.spatial_rank == 1) add("one spatial axis as height 1");
    add("copies src and weights to NHWC and OHWI, src with slack behind it");
    const Tensor dst = ordered(views_of(p).dst, {0, 3, 4, 5, 1, 2});
    if (!is_dense(dst)) add("copies dst from NHWC");
    return part;
  }
};

Or<std::unique_ptr<Backend>> open_xnnpack(const std::string& config) {
  const xnn_status status = xnn_initialize(nullptr);
  if (status != xnn_status_success) return fault("start", status);
  return open_plain<Xnnpack>(config);
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("xnnpack", "2022-02-16", concord::backends::open_xnnpack)
