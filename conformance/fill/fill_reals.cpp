// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/arithmetic.h"

namespace concord::conformance {
namespace {

// Sums stay below this where f16 is the accumulator or the dtype (its largest number is 65504):
// that a sum overflows on its way is then never an excuse.
constexpr double kHalfRoom = 32768;

bool is_half(const FillOrder& order) {
  return order.dtype == Dtype::kF16 || order.arithmetic.accumulator == CONCORD_ACCUMULATE_F16;
}

// The power of two by which numbers below `largest` are made smaller, so that sums have room.
int shift_for_room(const FillOrder& order, double largest) {
  if (!is_half(order)) return 0;
  const double terms = static_cast<double>(order.geometry.products()) + 1;
  int shift = 0;
  while (terms * largest * largest * std::ldexp(1.0, -2 * shift) > kHalfRoom) ++shift;
  return shift;
}

// Rounds to the dtype. Subnormal inputs become zero: what a class that flushes them may do with
// them is not bounded by the result.
double narrow(Dtype dtype, double value) {
  const double rounded = round_to(dtype, value);
  return std::fabs(rounded) < std::ldexp(1.0, format_of(dtype).min_exponent) ? 0 : rounded;
}

template <class Draw>
Inputs draw_inputs(const FillOrder& order, Draw draw) {
  Inputs inputs = make_zeros(order);
  const auto fill = [&](std::vector<double>& values, Stream stream) {
    Xoshiro random(order.seed, static_cast<std::uint64_t>(stream));
    for (double& value : values) value = narrow(order.dtype, draw(random));
  };
  fill(inputs.src, Stream::kSrc);
  fill(inputs.weights, Stream::kWeights);
  fill(inputs.bias, Stream::kBias);
  return inputs;
}

}  // namespace

Inputs fill_uniform(const FillOrder& order) {
  const int shift = shift_for_room(order, 1);
  return draw_inputs(
      order, [shift](Xoshiro& random) { return std::ldexp(2 * random.unit() - 1, -shift); });
}

// Magnitudes 2^e m with m uniform in [1, 2) and e in -20..20, or in -6..0 where f16 is about.
Inputs fill_wide(const FillOrder& order) {
  const int shift = shift_for_room(order, 2);
  const Extent smallest = is_half(order) ? -6 : -20;
  const Extent largest = is_half(order) ? 0 : 20;
  return draw_inputs(order, [=](Xoshiro& random) {
    const auto exponent = static_cast<int>(random.between(smallest, largest));
    const auto sign = static_cast<double>(random.sign());
    return sign * std::ldexp(1 + random.unit(), exponent - shift);
  });
}

}  // namespace concord::conformance
