// SPDX-License-Identifier: Apache-2.0
#include "backends/xnnpack/operator.h"

#include <initializer_list>
#include <limits>
#include <map>

#include "backends/adapter/views.h"

namespace concord::backends {
namespace {

std::uint32_t narrow(Extent extent) { return static_cast<std::uint32_t>(extent); }
std::size_t size(Extent extent) { return static_cast<std::size_t>(extent); }

/// Calls xnn_create_convolution2d_nhwc_f32 or _f16, whose arguments differ in the pointers alone.
template <class Create, class Element>
Operator create_with(Create create, const PaddedConvolution& p, const Element* weights,
                     const Element* bias, xnn_status& status) {
  // Every result lies between the infinities: the clamp that the operator ends with is idle.
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Window w = window_of(p);
  xnn_operator_t op = nullptr;
  // Threads that yield sleep between runs; else they spin beside other workers.
  status =
      create(narrow(w.pad_begin[1]), narrow(w.pad_end[2]), narrow(w.pad_end[1]),
             narrow(w.pad_begin[2]), narrow(w.K[1]), narrow(w.K[2]), narrow(w.S[1]), narrow(w.S[2]),
             narrow(w.D[1]), narrow(w.D[2]), narrow(p.G), size(p.ICG()), size(p.OCG()), size(p.IC),
             size(p.OC), weights, bias, -kInfinity, kInfinity, XNN_FLAG_YIELD_WORKERS, &op);
  return Operator(status == xnn_status_success ? op : nullptr);
}

}  // namespace

pthreadpool_t pool_of(int threads) {
  struct Destroy {
    void operator()(pthreadpool_t pool) const { pthreadpool_destroy(pool); }
  };
  static std::map<int, std::unique_ptr<pthreadpool, Destroy>> pools;
  if (threads == 1) return nullptr;
  auto& pool = pools[threads];
  if (pool == nullptr) pool.reset(pthreadpool_create(static_cast<std::size_t>(threads)));
  return pool.get();
}

Operator make_operator(Dtype dtype, const PaddedConvolution& p, const void* weights,
                       const void* bias, xnn_status& status) {
  if (dtype == Dtype::kF16) {
    return create_with(xnn_create_convolution2d_nhwc_f16, p, weights, bias, status);
  }
  return create_with(xnn_create_convolution2d_nhwc_f32, p, static_cast<const float*>(weights),
                     static_cast<const float*>(bias), status);
}

xnn_status run(const Operator& op, Dtype dtype, const PaddedConvolution& p, const void* src,
               void* dst, pthreadpool_t pool) {
  const Window window = window_of(p);
  const std::size_t n = size(p.N), ih = size(window.I[1]), iw = size(window.I[2]);
  const xnn_status status =
      dtype == Dtype::kF16
          ? xnn_setup_convolution2d_nhwc_f16(op.get(), n, ih, iw, src, dst, pool)
          : xnn_setup_convolution2d_nhwc_f32(op.get(), n, ih, iw, static_cast<const float*>(src),
                                             static_cast<float*>(dst), pool);
  return status == xnn_status_success ? xnn_run_operator(op.get(), pool) : status;
}

std::optional<std::string> beyond_limits(const PaddedConvolution& p) {
  const Window w = window_of(p);
  constexpr Extent kLargest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t axis = 1; axis < 3; ++axis) {
    for (const Extent size : {w.I[axis], w.K[axis], w.S[axis], w.D[axis], w.pad_begin[axis],
                              w.pad_end[axis], w.O[axis]}) {
      if (size > kLargest) return "XNNPACK's sizes have 32 bits: " + std::to_string(size);
    }
  }
  // Its depthwise kernels list the elements of the rows that they read, between the windows, too.
  constexpr double kLongestList = 1 << 27;
  const bool is_listed = p.ICG() == 1 && p.OCG() == 1 && w.D[2] == 1;
  const double listed = static_cast<double>(w.O[1]) * static_cast<double>(w.O[2]) *
                        static_cast<double>(w.S[2]) * static_cast<double>(w.K[1]);
  if (is_listed && listed > kLongestList) {
    return "XNNPACK lists the elements of depthwise rows: " + std::to_string(w.O[1]) + "x" +
           std::to_string(w.O[2]) + " outputs, stride " + std::to_string(w.S[2]);
  }
  if (p.G > kLargest) return "XNNPACK's sizes have 32 bits: groups=" + std::to_string(p.G);
  return std::nullopt;
}

const char* to_text(xnn_status status) {
  switch (status) {
    case xnn_status_success:
      return "success";
    case xnn_status_uninitialized:
      return "uninitialized";
    case xnn_status_invalid_parameter:
      return "invalid_parameter";
    case xnn_status_invalid_state:
      return "invalid_state";
    case xnn_status_unsupported_parameter:
      return "unsupported_parameter";
    case xnn_status_unsupported_hardware:
      return "unsupported_hardware";
    case xnn_status_out_of_memory:
      return "out_of_memory";
  }
  return "an unknown status";
}

}  // namespace concord::backends
