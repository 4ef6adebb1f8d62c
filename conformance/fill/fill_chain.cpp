// SPDX-License-Identifier: Apache-2.0
// The chain of atrous convolutions, whose layers feed one another.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"

namespace concord::conformance {
namespace {

using reference::ChainGeometry;

const ChainGeometry& geometry_of(const FormOrder& order) {
  return std::get<ChainGeometry>(order.resolution.form);
}

// The factor by which each layer may enlarge its input, so that all together stay below `most`.
Extent growth(const ChainGeometry& g, double most) {
  const double root = std::floor(std::pow(most, 1.0 / static_cast<double>(g.layers)));
  return static_cast<Extent>(std::clamp(root, 1.0, 1e6));
}

// Writes what `draw` says into `count` taps of each output channel of each layer.
template <class Draw>
void fill_taps(const FormOrder& order, Extent count, std::vector<double>& weights, Draw draw) {
  const ChainGeometry& g = geometry_of(order);
  if (weights.empty()) return;
  std::vector<Extent> taps(static_cast<std::size_t>(g.products()));
  std::iota(taps.begin(), taps.end(), 0);
  Extent channel = 0;
  for (const auto& hand : deal_taps(g.layers * g.channels, g.channels, taps,
                                    std::min(count, g.products()), order.seed)) {
    const Extent layer = channel / g.channels, out_channel = channel % g.channels;
    for (const Extent tap : hand) {
      weights[static_cast<std::size_t>((layer * g.products() + tap) * g.channels + out_channel)] =
          draw();
    }
    ++channel;
  }
}

// Integers so small that every layer's results are exact in the dtype as in the accumulator.
Inputs fill_integer_chain(const FormOrder& order) {
  const ChainGeometry& g = geometry_of(order);
  const Dtype dtype = order.problem.dtype;
  const Extent sum = exact_sum(dtype, order.arithmetic);
  const Extent stored = Extent{1} << exact_bits(dtype, order.arithmetic);
  const auto most = static_cast<double>(std::min(sum, stored));
  const Extent layer = growth(g, most / 2);
  const Extent taps = std::max<Extent>(1, std::min(g.products(), layer / (layer > 8 ? 2 : 1)));
  const SignedInteger weight(std::clamp<Extent>(layer / taps, 1, 4));
  const double grown = std::pow(static_cast<double>(taps * std::clamp<Extent>(layer / taps, 1, 4)),
                                static_cast<double>(g.layers));
  const SignedInteger element(std::clamp<Extent>(static_cast<Extent>(most / grown), 1, 64));

  Inputs inputs = make_zeros(order.problem);
  Xoshiro weights = stream(order, Input::kWeights);
  fill_taps(order, taps, inputs.weights, [&] { return weight(weights); });
  Xoshiro src = stream(order, Input::kSrc);
  for (double& value : inputs.src) value = element(src);
  if (order.fill == Fill::kIntegers || inputs.src.empty()) return inputs;
  if (order.fill == Fill::kSubnormal) {
    const double unit = subnormal_unit(dtype, order.arithmetic);
    for (double& value : inputs.src) value *= unit;
    return inputs;
  }
  if (order.fill == Fill::kRamp) {
    const auto largest = static_cast<Extent>(most / grown);
    inputs.src = place_codes(order.problem.src.dims, std::max<Extent>(largest, 1), src);
    return inputs;
  }
  const Extent place = src.below(static_cast<Extent>(inputs.src.size()));
  std::fill(inputs.src.begin(), inputs.src.end(), 0.0);
  inputs.src[static_cast<std::size_t>(place)] = 1;
  return inputs;
}

// Of magnitudes in [1/2, 1): no sum of magnitudes is so small that rounding or flushing a stored
// result to the dtype loses more than its unit roundoff of it.
Inputs fill_real_chain(const FormOrder& order) {
  const ChainGeometry& g = geometry_of(order);
  const Dtype dtype = order.problem.dtype;
  const bool half = dtype == Dtype::kF16 || order.arithmetic.accumulator == CONCORD_ACCUMULATE_F16;
  const auto draw = [&](Xoshiro& random) {
    const auto sign = static_cast<double>(random.sign());
    return sign * std::min(narrow(dtype, 0.5 + random.unit() / 2), 1 - 0x1p-8);
  };
  Inputs inputs = make_zeros(order.problem);
  Xoshiro weights = stream(order, Input::kWeights);
  fill_taps(order, growth(g, half ? 0x1p14 : 0x1p100), inputs.weights,
            [&] { return draw(weights); });
  Xoshiro src = stream(order, Input::kSrc);
  for (double& value : inputs.src) value = draw(src);
  return inputs;
}

}  // namespace

Inputs fill_chain(const FormOrder& order) {
  return has_random_signs(order.fill) ? fill_real_chain(order) : fill_integer_chain(order);
}

}  // namespace concord::conformance
