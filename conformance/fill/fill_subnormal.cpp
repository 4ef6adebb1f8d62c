// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/judge/arithmetic.h"

namespace concord::conformance {
namespace {

// Small enough that the results of most problems stay subnormal in f16, too.
constexpr Extent kLargestFactor = 7;
constexpr Extent kLargestBias = 63;

// The smallest number, or where subnormals are flushed the smallest normal one, that the dtype, the
// accumulator and the demoted inputs all have.
double unit_of(const FillOrder& order) {
  const bool flushes = order.arithmetic.flushes_subnormals != 0;
  const Accumulator accumulator = accumulator_of(order.arithmetic);
  const double dtype = flushes ? std::ldexp(1.0, format_of(order.dtype).min_exponent)
                               : format_of(order.dtype).smallest();
  // By input precision: as they are, tf32 with ten bits behind the point, bf16 with seven.
  static constexpr std::array kInputExponents = {-149, -136, -133, -133};
  const int input = kInputExponents[static_cast<std::size_t>(order.arithmetic.input_precision)];
  return std::max({dtype, flushes ? accumulator.normal : accumulator.smallest,
                   std::ldexp(1.0, flushes ? -126 : input)});
}

}  // namespace

// Integers, and bias and src or, by an odd seed, the weights in whole units: so is every partial
// sum, which makes it exact.
Inputs fill_subnormal(const FillOrder& order) {
  IntegerLimits limits =
      integer_limits(order.dtype, order.arithmetic, order.geometry.products(), order.has_bias);
  limits.src = std::min(limits.src, kLargestFactor);
  limits.weights = std::min(limits.weights, kLargestFactor);
  limits.bias = std::min(limits.bias, kLargestBias);
  Inputs inputs = fill_integers_within(order, limits);
  const double unit = unit_of(order);
  for (double& value : order.seed % 2 == 0 ? inputs.src : inputs.weights) value *= unit;
  for (double& b : inputs.bias) b *= unit;
  return inputs;
}

}  // namespace concord::conformance
