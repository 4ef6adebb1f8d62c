// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/draws.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {
namespace {

// With factors of 1..3 and a sign, two elements that were swapped differ five times out of six.
constexpr Extent kLeastSide = 3;

Extent whole_root(Extent value) {
  auto root = static_cast<Extent>(std::sqrt(static_cast<double>(value)));
  while (root * root > value) --root;
  return root;
}

}  // namespace

int exact_bits(Dtype dtype, const concord_arithmetic& arithmetic) {
  return std::min(exact_input_bits(dtype, arithmetic), accumulator_of(dtype, arithmetic).bits);
}

Extent most_codes(Dtype dtype, const concord_arithmetic& arithmetic) {
  constexpr int kMostBits = 30;
  return Extent{1} << std::min(exact_bits(dtype, arithmetic), kMostBits);
}

Extent exact_sum(Dtype dtype, const concord_arithmetic& arithmetic) {
  const Extent sum = Extent{1} << accumulator_of(dtype, arithmetic).bits;
  return static_cast<Extent>(std::min(static_cast<double>(sum), format_of(dtype).largest()));
}

Extent exact_sum_of_layer(Dtype dtype, const concord_arithmetic& arithmetic) {
  const Extent sum = exact_sum(dtype, arithmetic);
  if (arithmetic.input_precision == CONCORD_INPUT_EXACT) return sum;
  return std::min(sum, Extent{1} << exact_input_bits(dtype, arithmetic));
}

namespace {

// Inputs of up to `input`, whose sums of products are at most `sum`.
IntegerLimits limits_within(Extent sum, Extent input, Extent products, bool has_bias) {
  const Extent bias = has_bias ? std::min(sum / 16, input) : 0;
  const Extent room = sum - bias;
  const Extent each = room / std::max<Extent>(products, 1);
  if (each < kLeastSide * kLeastSide) {
    return {kLeastSide, kLeastSide, bias, std::min(products, room / (kLeastSide * kLeastSide))};
  }
  const Extent src = std::min(whole_root(each), input);
  return {src, std::min(each / src, input), bias, products};
}

}  // namespace

IntegerLimits integer_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                             bool has_bias) {
  return limits_within(exact_sum(dtype, arithmetic),
                       Extent{1} << exact_input_bits(dtype, arithmetic), products, has_bias);
}

IntegerLimits layer_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products) {
  const Extent sum = exact_sum_of_layer(dtype, arithmetic);
  const Extent each = sum / std::max<Extent>(products, 1);
  if (each < kLeastSide * kLeastSide) {
    const Extent src = std::clamp<Extent>(each, 1, kLeastSide);
    return {src, std::clamp<Extent>(each / src, 1, kLeastSide), 0, products};
  }
  return limits_within(sum, Extent{1} << exact_input_bits(dtype, arithmetic), products, false);
}

namespace {

IntegerLimits limits_of(const FillOrder& order) {
  return integer_limits(order.dtype, order.arithmetic, order.geometry.products(), order.has_bias);
}

void fill_src(const FillOrder& order, Extent largest, std::vector<double>& src) {
  const reference::Geometry& g = order.geometry;
  const auto count = static_cast<std::size_t>(g.N * g.IC * reference::volume(g.I));
  Draws draws(order.seed, static_cast<std::uint64_t>(Stream::kSrc), 2 * count);
  append(count, src, [&](std::span<double> values) {
    draws.integers(SignedInteger(largest, 3, 4), false, values);
  });
}

void fill_weights(const FillOrder& order, const IntegerLimits& limits,
                  std::vector<double>& weights) {
  const reference::Geometry& g = order.geometry;
  const auto products = static_cast<std::size_t>(g.products());
  const SignedInteger draw(limits.weights, 3, 4);
  const Below draw_sign(2);
  Draws draws(order.seed, static_cast<std::uint64_t>(Stream::kWeights),
              static_cast<std::size_t>(g.OC * (2 * limits.taps + 1)));
  if (limits.taps == g.products()) {  // as dealt hands of all taps would be
    weights.reserve(products * static_cast<std::size_t>(g.OC));
    for (Extent oc = 0; oc < g.OC; ++oc) {
      const bool negative = draw_sign(draws) == 1;
      append(products, weights,
             [&](std::span<double> values) { draws.integers(draw, negative, values); });
    }
    return;
  }
  weights.resize(products * static_cast<std::size_t>(g.OC));
  std::vector<Extent> taps(products);
  std::iota(taps.begin(), taps.end(), 0);
  double* channel = weights.data();
  for (const auto& hand : deal_taps(g, taps, limits.taps, order.seed)) {
    const double sign = draw_sign(draws) == 1 ? -1 : 1;
    for (const Extent tap : hand) channel[tap] = sign * draw(draws);
    channel += products;
  }
}

void fill_bias(const FillOrder& order, Extent largest, std::vector<double>& bias) {
  if (!order.has_bias) return;
  Xoshiro random(order.seed, static_cast<std::uint64_t>(Stream::kBias));
  const SignedInteger draw(largest);
  bias.resize(static_cast<std::size_t>(order.geometry.OC));
  for (double& b : bias) b = draw(random);
}

}  // namespace

// Signs are positive three times out of four in src, and within an output channel of weights three
// times out of four the same: so sums grow with n, and the results need rounding when stored.
Inputs fill_integers(const FillOrder& order) {
  return fill_integers_within(order, limits_of(order));
}

Inputs fill_integers_within(const FillOrder& order, const IntegerLimits& limits) {
  Inputs inputs;
  fill_src(order, limits.src, inputs.src);
  fill_weights(order, limits, inputs.weights);
  fill_bias(order, limits.bias, inputs.bias);
  return inputs;
}

}  // namespace concord::conformance
