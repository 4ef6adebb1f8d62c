// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/special_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/arithmetic/same_value.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kSpecialStream = 29;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostInWeights = 2;  // of three
constexpr std::array kSpecials = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};

using reference::joined;
using reference::kSpatialRank;
using reference::Spatial;
using reference::spatial_part;

/// What the terms that are not finite add up to at each output, 0 where there are none.
class SpecialSums {
 public:
  SpecialSums(const reference::Geometry& g, const Inputs& inputs)
      : g_(g),
        inputs_(inputs),
        src_(joined(g.N, g.IC, g.I)),
        weights_(joined(g.OC, g.ICG(), g.K)),
        dst_(joined(g.N, g.OC, g.O)),
        sums_(static_cast<std::size_t>(g.N * g.OC * reference::volume(g.O))) {
    std::size_t at = 0;
    for (const auto& place : src_) {
      if (!std::isfinite(inputs.src[at++])) add_src(place[0], place[1], spatial_part(place));
    }
    at = 0;
    for (const auto& place : weights_) {
      if (!std::isfinite(inputs.weights[at++])) add_weight(place[0], place[1], spatial_part(place));
    }
  }

  const std::vector<double>& get() const { return sums_; }

 private:
  void add_src(Extent n, Extent ic, const Spatial& i) {
    const Extent first = ic / g_.ICG() * g_.OCG();
    for (const Spatial& o : Grid(g_.O)) {
      Spatial k{};
      bool seen = true;
      for (std::size_t a = 0; a < kSpatialRank; ++a) {
        const Extent from_start = i[a] + g_.P_begin[a] - o[a] * g_.S[a];
        k[a] = from_start / g_.D[a];
        seen = seen && from_start >= 0 && from_start % g_.D[a] == 0 && k[a] < g_.K[a];
      }
      for (Extent oc = first; seen && oc < first + g_.OCG(); ++oc) add(n, oc, o, ic, i, k);
    }
  }

  void add_weight(Extent oc, Extent ic, const Spatial& k) {
    const Extent c = oc / g_.OCG() * g_.ICG() + ic;
    for (const auto& place : Grid(joined(g_.N, g_.O))) {
      const Spatial o = spatial_part(place);
      Spatial i{};
      bool exists = true;
      for (std::size_t a = 0; a < kSpatialRank; ++a) {
        i[a] = o[a] * g_.S[a] + k[a] * g_.D[a] - g_.P_begin[a];
        exists = exists && i[a] >= 0 && i[a] < g_.I[a];
      }
      if (exists) add(place[0], oc, o, c, i, k);
    }
  }

  void add(Extent n, Extent oc, const Spatial& o, Extent c, const Spatial& i, const Spatial& k) {
    const double x = inputs_.src[src_.offset(joined(n, c, i))];
    const double w = inputs_.weights[weights_.offset(joined(oc, c % g_.ICG(), k))];
    sums_[dst_.offset(joined(n, oc, o))] += x * w;
  }

  const reference::Geometry& g_;
  const Inputs& inputs_;
  Grid<kSpatialRank + 2> src_, weights_, dst_;
  std::vector<double> sums_;
};

// The last input of an axis that an output sees, or the first one.
Extent outermost(const std::vector<Meeting>& met, bool last) {
  const auto by_input = [](const Meeting& a, const Meeting& b) { return a.i < b.i; };
  return (last ? std::max_element(met.begin(), met.end(), by_input)
               : std::min_element(met.begin(), met.end(), by_input))
      ->i;
}

}  // namespace

void make_some_zero(Xoshiro& random, std::vector<double>& values) {
  constexpr Extent kOneZeroIn = 8;
  for (double& value : values) {
    if (random.below(kOneZeroIn) == 0) value = random.sign() > 0 ? 0.0 : -0.0;
  }
}

std::span<const double> special_values() { return kSpecials; }

void plant_values(std::span<const double> values, SpecialPlace place, std::uint64_t seed,
                  const reference::Geometry& g, Inputs& inputs) {
  std::array<std::vector<Meeting>, kSpatialRank> met;
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    met[axis] = meetings(g, axis);
    if (met[axis].empty()) return;
  }
  if (g.N * g.IC * g.OC == 0) return;
  Xoshiro random(seed, kSpecialStream);
  const Grid src(joined(g.N, g.IC, g.I));
  const Grid weights(joined(g.OC, g.ICG(), g.K));
  const Extent oc = random.below(g.OC);
  for (std::size_t v = 0; v < values.size(); ++v) {
    const double value = values[v];
    Spatial i{}, k{};
    for (std::size_t axis = g.first_axis(); axis < kSpatialRank; ++axis) {
      const auto count = static_cast<Extent>(met[axis].size());
      const Meeting& at = met[axis][static_cast<std::size_t>(random.below(count))];
      i[axis] = at.i;
      k[axis] = at.k;
    }
    const bool in_weights = place == SpecialPlace::kWeights && v < kMostInWeights;
    if (!in_weights && v > 0) {
      const bool last = v == 1 || place == SpecialPlace::kWeights;
      i[kSpatialRank - 1] = outermost(met.back(), last);
    }
    const Extent n = random.below(g.N);
    if (in_weights) {
      inputs.weights[weights.offset(joined(oc, random.below(g.ICG()), k))] = value;
    } else {
      inputs.src[src.offset(joined(n, random.below(g.IC), i))] = value;
    }
  }
}

bool tells_outputs_apart(const reference::Geometry& geometry, const Inputs& inputs,
                         std::optional<Extent> but) {
  const SpecialSums special(geometry, inputs);
  std::vector<double> sums = special.get();
  if (but) {
    const auto plane = static_cast<std::size_t>(reference::volume(geometry.O));
    const auto channels = static_cast<std::size_t>(geometry.OC);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (i / plane % channels != static_cast<std::size_t>(*but)) sums[kept++] = sums[i];
    }
    sums.resize(kept);
  }
  const bool reached =
      std::any_of(sums.begin(), sums.end(), [](double sum) { return !std::isfinite(sum); });
  const bool apart = std::any_of(sums.begin(), sums.end(),
                                 [&](double sum) { return !is_same_value(sum, sums.front()); });
  return reached && (apart || sums.size() == 1);
}

}  // namespace concord::conformance
