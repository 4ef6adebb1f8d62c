// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"

namespace concord::conformance {
namespace {

constexpr Extent kLargestFactor = 7;
constexpr Extent kLargestBias = 63;

}  // namespace

IntegerLimits subnormal_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                               bool has_bias) {
  IntegerLimits limits = integer_limits(dtype, arithmetic, products, has_bias);
  limits.src = std::min(limits.src, kLargestFactor);
  limits.weights = std::min(limits.weights, kLargestFactor);
  limits.bias = std::min(limits.bias, kLargestBias);
  return limits;
}

double subnormal_unit(Dtype dtype, const concord_arithmetic& arithmetic) {
  const bool flushes = arithmetic.flushes_subnormals != 0;
  const Accumulator accumulator = accumulator_of(dtype, arithmetic);
  const double smallest =
      flushes ? std::ldexp(1.0, format_of(dtype).min_exponent) : format_of(dtype).smallest();
  if (dtype == Dtype::kF64) return flushes ? accumulator.normal : smallest;
  // By input precision: as they are, tf32 with ten bits behind the point, bf16 with seven.
  static constexpr std::array kInputExponents = {-149, -136, -133, -133};
  const int input = kInputExponents[static_cast<std::size_t>(arithmetic.input_precision)];
  return std::max({smallest, flushes ? accumulator.normal : accumulator.smallest,
                   std::ldexp(1.0, flushes ? -126 : input)});
}

// Integers, and bias and src or, by an odd seed, the weights in whole units: so is every partial
// sum, which makes it exact.
Inputs fill_subnormal(const FillOrder& order) {
  Inputs inputs = fill_integers_within(
      order,
      subnormal_limits(order.dtype, order.arithmetic, order.geometry.products(), order.has_bias));
  const double unit = subnormal_unit(order.dtype, order.arithmetic);
  for (double& value : unit_is_in_src(order.seed) ? inputs.src : inputs.weights) value *= unit;
  for (double& b : inputs.bias) b *= unit;
  return inputs;
}

}  // namespace concord::conformance
