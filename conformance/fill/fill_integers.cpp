// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/arithmetic.h"

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
  return std::min(exact_input_bits(dtype, arithmetic), accumulator_of(arithmetic).bits);
}

Extent exact_sum(Dtype dtype, const concord_arithmetic& arithmetic) {
  const Extent sum = Extent{1} << accumulator_of(arithmetic).bits;
  return dtype == Dtype::kF16 ? std::min<Extent>(sum, 65504) : sum;
}

IntegerLimits integer_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                             bool has_bias) {
  const Extent sum = exact_sum(dtype, arithmetic);
  const Extent input = Extent{1} << exact_input_bits(dtype, arithmetic);
  const Extent bias = has_bias ? std::min(sum / 16, input) : 0;
  const Extent room = sum - bias;
  const Extent each = room / std::max<Extent>(products, 1);
  if (each < kLeastSide * kLeastSide) {
    return {kLeastSide, kLeastSide, bias, std::min(products, room / (kLeastSide * kLeastSide))};
  }
  const Extent src = std::min(whole_root(each), input);
  return {src, std::min(each / src, input), bias, products};
}

// Signs are positive three times out of four in src, and within an output channel of weights three
// times out of four the same: so sums grow with n, and the results need rounding when stored.
Inputs fill_integers(const FillOrder& order) {
  return fill_integers_within(order, integer_limits(order.dtype, order.arithmetic,
                                                    order.geometry.products(), order.has_bias));
}

Inputs fill_integers_within(const FillOrder& order, const IntegerLimits& limits) {
  const reference::Geometry& g = order.geometry;
  Inputs inputs = make_zeros(order);

  Xoshiro src(order.seed, static_cast<std::uint64_t>(Stream::kSrc));
  const SignedInteger draw_src(limits.src, 3, 4);
  for (double& x : inputs.src) x = draw_src(src);

  Xoshiro weights(order.seed, static_cast<std::uint64_t>(Stream::kWeights));
  const SignedInteger draw_weight(limits.weights, 3, 4);
  if (limits.taps == g.products()) {  // as dealt hands of all taps would be
    for (std::size_t first = 0; first < inputs.weights.size();) {
      const auto channel_sign = static_cast<double>(weights.sign());
      const std::size_t end = first + static_cast<std::size_t>(g.products());
      for (; first < end; ++first) inputs.weights[first] = channel_sign * draw_weight(weights);
    }
  } else {
    std::vector<Extent> taps(static_cast<std::size_t>(g.products()));
    std::iota(taps.begin(), taps.end(), 0);
    Extent first = 0;
    for (const auto& hand : deal_taps(g, taps, limits.taps, order.seed)) {
      const auto channel_sign = static_cast<double>(weights.sign());
      for (const Extent tap : hand) {
        inputs.weights[static_cast<std::size_t>(first + tap)] = channel_sign * draw_weight(weights);
      }
      first += g.products();
    }
  }

  Xoshiro bias(order.seed, static_cast<std::uint64_t>(Stream::kBias));
  if (order.has_bias) {
    const SignedInteger draw_bias(limits.bias);
    for (double& b : inputs.bias) b = draw_bias(bias);
  }
  return inputs;
}

}  // namespace concord::conformance
