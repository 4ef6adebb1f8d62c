// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

// Where nothing meets an element of src, the bias is all there is to see.
void fill_bias(const FillOrder& order, std::vector<double>& bias) {
  Xoshiro random(order.seed, static_cast<std::uint64_t>(Stream::kBias));
  for (double& b : bias) b = draw_power(random);
}

/// Two elements of a run of weights that meet equal elements of src wherever both meet one.
struct Twins {
  Extent first = 0, second = 0;
  bool exist() const { return first != second; }
};

// Copies src such that there are twins: one input channel of a group to another or, where a group
// has one channel, the last axis of several taps to its neighbours a dilation further. None exist
// where neither is possible, or a run has no third element.
Twins make_twins(const reference::Geometry& g, Inputs& inputs, Xoshiro& random) {
  const Extent taps = reference::volume(g.K), pixels = reference::volume(g.I);
  if (g.products() < 3) return {};
  const auto values = inputs.src.begin();
  if (g.ICG() > 1) {
    const Extent from = random.below(g.ICG());
    const Extent to = (from + 1 + random.below(g.ICG() - 1)) % g.ICG();
    for (Extent block = 0; block < g.N * g.G; ++block) {
      std::copy_n(values + (block * g.ICG() + from) * pixels, pixels,
                  values + (block * g.ICG() + to) * pixels);
    }
    const Extent tap = random.below(taps);
    return {from * taps + tap, to * taps + tap};
  }
  constexpr std::size_t kLast = reference::kSpatialRank - 1;
  if (g.K[kLast] < 2) return {};
  const Extent row = g.I[kLast];
  for (Extent begin = 0; begin < std::ssize(inputs.src); begin += row) {
    for (Extent i = g.D[kLast]; i < row; ++i) values[begin + i] = values[begin + i - g.D[kLast]];
  }
  const Extent tap = random.below(taps / g.K[kLast]) * g.K[kLast] + random.below(g.K[kLast] - 1);
  return {tap, tap + 1};
}

// a and -a, so large that a sum of a and the lone product y is rounded to fewer bits than the store
// keeps of y. Where accumulator and dtype have the same bits, y's own rounding shows already;
// beyond f32 the reference would round, too.
std::optional<int> exponent_of_twins(const FillOrder& order) {
  const int bits = format_of(order.dtype).significand_bits;
  const Accumulator accumulator = accumulator_of(order.dtype, order.arithmetic);
  constexpr int kF32Bits = 24;
  if (accumulator.bits != kF32Bits || bits == kF32Bits) return std::nullopt;
  return accumulator.bits - bits;
}

// Both factors are odd significands, so their product is never halfway between two numbers.
Inputs fill_lone_tap(const FillOrder& order, const std::vector<Extent>& taps) {
  Inputs inputs = make_zeros(order);
  const int bits = exact_input_bits(order.dtype, order.arithmetic);
  Xoshiro src(order.seed, static_cast<std::uint64_t>(Stream::kSrc));
  for (double& x : inputs.src) x = draw_full_mantissa(bits, src);
  const auto exponent = exponent_of_twins(order);
  const Twins twins = exponent ? make_twins(order.geometry, inputs, src) : Twins{};
  Xoshiro weights(order.seed, static_cast<std::uint64_t>(Stream::kWeights));
  Extent first = 0, channel = static_cast<Extent>(order.seed % 2);
  for (const auto& hand : deal_taps(order.geometry, taps, 1, order.seed)) {
    const Extent tap = hand.front();
    const auto at = [&](Extent element) -> double& {
      return inputs.weights[static_cast<std::size_t>(first + element)];
    };
    at(tap) = draw_full_mantissa(bits, weights);
    // Every second channel.
    if (twins.exist() && channel++ % 2 == 1 && tap != twins.first && tap != twins.second) {
      const int low = *exponent / 2;
      at(tap) = std::ldexp(at(tap), -low);
      const int high = *exponent - low + static_cast<int>(weights.between(0, 3));
      at(twins.first) = std::ldexp(draw_full_mantissa(bits, weights), high);
      at(twins.second) = -at(twins.first);
    }
    first += order.geometry.products();
  }
  return inputs;
}

/// An element of src within its group, and the taps of each axis that some output meets it with.
struct Lone {
  Extent ic = 0;
  reference::Spatial place{};
  std::array<std::vector<Extent>, reference::kSpatialRank> taps{};
};

Lone choose_element(const reference::Geometry& g, Xoshiro& random) {
  Lone lone;
  lone.ic = random.below(g.ICG());
  for (std::size_t axis = 0; axis < reference::kSpatialRank; ++axis) {
    const std::vector<Meeting> met = meetings(g, axis);
    const auto chosen = static_cast<std::size_t>(random.below(static_cast<Extent>(met.size())));
    lone.place[axis] = met[chosen].i;
    for (const Meeting& meeting : met) {
      if (meeting.i == lone.place[axis]) lone.taps[axis].push_back(meeting.k);
    }
  }
  return lone;
}

// One element an image and group, so that no tile of a bilinear algorithm sees two.
Inputs fill_lone_elements(const FillOrder& order) {
  const reference::Geometry& g = order.geometry;
  Inputs inputs = make_zeros(order);
  const Grid src_grid(reference::joined(g.N, g.IC, g.I));
  const Grid weights_grid(reference::joined(g.OC, g.ICG(), g.K));
  Xoshiro src(order.seed, static_cast<std::uint64_t>(Stream::kSrc));
  Xoshiro weights(order.seed, static_cast<std::uint64_t>(Stream::kWeights));
  const auto pick = [&](Extent count) { return static_cast<std::size_t>(weights.below(count)); };
  for (Extent group = 0; group < g.G; ++group) {
    std::vector<Lone> images;
    for (Extent n = 0; n < g.N; ++n) {
      images.push_back(choose_element(g, src));
      const Lone& lone = images.back();
      const Extent ic = group * g.ICG() + lone.ic;
      inputs.src[src_grid.offset(reference::joined(n, ic, lone.place))] = draw_power(src);
    }
    for (Extent oc = group * g.OCG(); oc < (group + 1) * g.OCG(); ++oc) {
      const Lone& lone = images[pick(g.N)];
      reference::Spatial tap{};
      for (std::size_t axis = 0; axis < tap.size(); ++axis) {
        tap[axis] = lone.taps[axis][pick(static_cast<Extent>(lone.taps[axis].size()))];
      }
      inputs.weights[weights_grid.offset(reference::joined(oc, lone.ic, tap))] =
          draw_power(weights);
    }
  }
  return inputs;
}

}  // namespace

// Zeros are added exactly in any order, so whatever the class and the number of products, an output
// is one product, or one and two that cancel: docs/numerics.md#one-product-among-zeros.
Inputs fill_sparse(const FillOrder& order) {
  const std::vector<Extent> taps = live_taps(order.geometry);
  if (taps.empty() || order.geometry.N == 0) {
    Inputs inputs = make_zeros(order);
    fill_bias(order, inputs.bias);
    return inputs;
  }
  return is_bilinear(order.arithmetic) ? fill_lone_elements(order) : fill_lone_tap(order, taps);
}

}  // namespace concord::conformance
