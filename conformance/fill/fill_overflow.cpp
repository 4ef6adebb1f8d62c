// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/special_values.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kAttempts = 16, kAttemptsWithAll = 8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Exponents of what is planted: 2^large 2^weights is beyond the largest number of the dtype or of
// the accumulator, and sums of numbers below 2^(small + 1) by such weights are far within.
struct Exponents {
  int weights, large, small;
};

Exponents exponents_of(const FillOrder& order) {
  const double largest = std::min(format_of(order.dtype).largest(),
                                  accumulator_of(order.dtype, order.arithmetic).largest);
  const int beyond = std::ilogb(largest) + 1;
  const int weights = beyond / 2;
  const int terms = std::ilogb(static_cast<double>(order.geometry.products()) + 1) + 1;
  return {weights, beyond - weights, std::min(0, beyond - 5 - terms - weights)};
}

// Weights and bias of one output channel have one sign, those of the next one the other, src has
// none: so partial sums never cancel, and one of them overflows only if the result does.
Inputs draw_inputs(const FillOrder& order, const Exponents& exponents) {
  Inputs inputs = make_zeros(order);
  const auto magnitude = [&](Xoshiro& random, int exponent) {
    return round_to(order.dtype, std::ldexp(1 + random.unit(), exponent));
  };
  Xoshiro src(order.seed, static_cast<std::uint64_t>(Stream::kSrc));
  for (double& x : inputs.src) x = magnitude(src, exponents.small);
  Xoshiro weights(order.seed, static_cast<std::uint64_t>(Stream::kWeights));
  Xoshiro bias(order.seed, static_cast<std::uint64_t>(Stream::kBias));
  const bool first_is_positive = weights.sign() > 0;
  const auto products = static_cast<std::size_t>(order.geometry.products());
  for (std::size_t oc = 0; oc * products < inputs.weights.size(); ++oc) {
    const double sign = (oc % 2 == 0) == first_is_positive ? 1 : -1;
    for (std::size_t tap = 0; tap < products; ++tap) {
      inputs.weights[oc * products + tap] = sign * magnitude(weights, exponents.weights);
    }
    if (!order.has_bias) continue;
    inputs.bias[oc] = sign * magnitude(bias, exponents.weights + exponents.small);
  }
  return inputs;
}

}  // namespace

Inputs fill_overflow(const FillOrder& order) {
  const Exponents exponents = exponents_of(order);
  Inputs inputs = draw_inputs(order, exponents);
  static constexpr std::array kMarks = {kInfinity, kInfinity, kInfinity};
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Inputs marked = inputs;
    const std::size_t count = attempt < kAttemptsWithAll ? kMarks.size() : 1;
    plant_values(std::span(kMarks).first(count), SpecialPlace::kSrc, order.seed + attempt,
                 order.geometry, marked);
    if (!tells_outputs_apart(order.geometry, marked)) continue;
    inputs = std::move(marked);
    break;
  }
  for (double& x : inputs.src) {
    if (std::isinf(x)) x = std::ldexp(1.0, exponents.large + 1);
  }
  return inputs;
}

}  // namespace concord::conformance
