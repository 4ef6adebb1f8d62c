// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

// Where the impulses of one axis stand: so far apart that no window sees two of them, and each at
// the same place relative to the stride, so that the same tap sees every one.
std::vector<Extent> place_impulses(const reference::Geometry& g, std::size_t axis,
                                   Xoshiro& random) {
  const std::vector<Meeting> met = meetings(g, axis);
  if (met.empty()) return {};
  // The first meeting is the beginning of the input, the last one its end; others lie between.
  const auto choice = static_cast<std::size_t>(random.below(3));
  const std::size_t last = met.size() - 1;
  const std::size_t chosen =
      std::array{std::size_t{0}, last,
                 static_cast<std::size_t>(random.below(static_cast<Extent>(met.size())))}[choice];
  const Extent window = (g.K[axis] - 1) * g.D[axis] + 1;
  const Extent apart = (window + g.S[axis] - 1) / g.S[axis] * g.S[axis];
  std::vector<Extent> places;
  for (Extent i = met[chosen].i % apart; i < g.I[axis]; i += apart) places.push_back(i);
  return places;
}

}  // namespace

double draw_full_mantissa(int bits, Xoshiro& random) {
  const Extent half = Extent{1} << (bits - 1);
  const Extent significand = half + 2 * random.below(half / 2) + 1;
  const auto exponent = static_cast<int>(random.between(-2, 1));
  return static_cast<double>(random.sign()) *
         std::ldexp(static_cast<double>(significand), exponent - bits + 1);
}

double draw_power(Xoshiro& random) {
  const auto exponent = static_cast<int>(random.between(-2, 1));
  return static_cast<double>(random.sign()) * std::ldexp(1.0, exponent);
}

// Each output sums one product by 1 and zeros, so any order gives a weight exactly. The bias is
// zero, because weight + bias would round; unless no window sees an element of src.
Inputs fill_impulse(const FillOrder& order) {
  const reference::Geometry& g = order.geometry;
  Inputs inputs = make_zeros(order);
  const Grid src_grid(reference::joined(g.N, g.IC, g.I));
  Xoshiro src(order.seed, static_cast<std::uint64_t>(Stream::kSrc));
  bool sees_src = g.ICG() > 0;
  for (std::size_t axis = 0; axis < reference::kSpatialRank; ++axis) {
    sees_src = sees_src && !meetings(g, axis).empty();
  }
  for (const auto [n, group] : Grid<2>({sees_src ? g.N : 0, g.G})) {
    std::array<std::vector<Extent>, reference::kSpatialRank> places;
    places.fill({0});
    reference::Spatial counts;
    counts.fill(1);
    for (std::size_t axis = g.first_axis(); axis < places.size(); ++axis) {
      places[axis] = place_impulses(g, axis, src);
      counts[axis] = static_cast<Extent>(places[axis].size());
    }
    for (const auto& chosen : Grid(counts)) {
      reference::Spatial i{};
      for (std::size_t axis = 0; axis < places.size(); ++axis) {
        i[axis] = places[axis][static_cast<std::size_t>(chosen[axis])];
      }
      const Extent ic = group * g.ICG() + src.below(g.ICG());
      inputs.src[src_grid.offset(reference::joined(n, ic, i))] = 1;
    }
  }
  Xoshiro weights(order.seed, static_cast<std::uint64_t>(Stream::kWeights));
  const int bits = exact_bits(order.dtype, order.arithmetic);
  for (double& w : inputs.weights) w = draw_full_mantissa(bits, weights);
  if (!sees_src) {
    Xoshiro bias(order.seed, static_cast<std::uint64_t>(Stream::kBias));
    for (double& b : inputs.bias) b = draw_full_mantissa(bits, bias);
  }
  return inputs;
}

}  // namespace concord::conformance
