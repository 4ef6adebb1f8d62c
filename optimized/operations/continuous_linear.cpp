// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_linear.h"

#include <algorithm>

#include "optimized/layout/stage.h"

namespace concord::optimized {

std::optional<Refusal> check_gradient(const ContinuousShape& s, const Options& options) {
  if (auto refused = refuse_threads(options)) return refused;
  const Extent values = 2 + 2 * (s.net.w1 + s.net.w2);
  for (const Extents& memory :
       {s.src.dims, s.dst.dims, s.theta.dims, Extents{kContinuousBlock, s.inputs(), values},
        Extents{kContinuousBlock, s.slots(), std::max<Extent>(s.Cin, 1), s.net.w2 + 1},
        Extents{s.Cout, s.slots(), std::max<Extent>(s.Cin, 1), s.net.w2 + 1}}) {
    if (element_count(memory).value_or(kMostGradientElements) < kMostGradientElements) continue;
    return Refusal{Fault::kLimit, "a layer of " + to_string(s.src) + " to " + to_string(s.dst) +
                                      " needs more than memory can hold"};
  }
  return std::nullopt;
}

void write_matrix(const ContinuousShape& s, const double* theta, double* to) {
  const double* const A3 = Net(s, theta).last_layer();
  for_each_entry(
      s, [&](Extent co, Extent feature, Extent place) { to[feature * s.Cout + co] = A3[place]; });
}

void gather_delta(const ContinuousShape& s, const OutputBlock& block, Extent n,
                  const void* diff_dst, double* to) {
  const Extents& strides = s.dst.strides;
  std::fill(to + block.size * s.Cout, to + kContinuousBlock * s.Cout, 0.0);
  for (Extent p = 0; p < block.size; ++p) {
    const OutputPlace& at = block.places[static_cast<std::size_t>(p)];
    const Extent from = n * strides[0] + at.i * strides[2] + at.j * strides[3];
    for (Extent co = 0; co < s.Cout; ++co) {
      *to++ = load(s.dtype, element_at(diff_dst, from + co * strides[1], s.dtype));
    }
  }
}

void store_sums(Dtype dtype, const double* from, Extent from_step, Extent count, void* to,
                Extent to_step) {
  if (dtype == Dtype::kF32) {
    auto* const elements = static_cast<float*>(to);
    for (Extent i = 0; i < count; ++i) {
      elements[i * to_step] = static_cast<float>(from[i * from_step]);
    }
    return;
  }
  for (Extent i = 0; i < count; ++i) {
    store(dtype, from[i * from_step], element_at(to, i * to_step, dtype));
  }
}

double keys_weight(const ContinuousShape& s, const OutputPlace& at, Extent k) {
  const Extent columns = s.horizontal.slots();
  return keys(at.vertical.distance(k / columns)) * keys(at.horizontal.distance(k % columns));
}

}  // namespace concord::optimized
