// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/special_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/same_value.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kSpecialStream = 29;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kSpecials = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};

/// What the terms that are not finite add up to at each output, 0 where there are none.
class SpecialSums {
 public:
  SpecialSums(const reference::Geometry& g, const Inputs& inputs)
      : g_(g),
        inputs_(inputs),
        src_({g.N, g.IC, g.I[0], g.I[1], g.I[2]}),
        weights_({g.OC, g.ICG(), g.K[0], g.K[1], g.K[2]}),
        dst_({g.N, g.OC, g.O[0], g.O[1], g.O[2]}),
        sums_(static_cast<std::size_t>(g.N * g.OC * g.O[0] * g.O[1] * g.O[2])) {
    for (const auto& [n, ic, d, h, w] : src_) {
      if (!std::isfinite(inputs.src[src_.offset({n, ic, d, h, w})])) add_src(n, ic, {d, h, w});
    }
    for (const auto& [oc, ic, d, h, w] : weights_) {
      const std::size_t place = weights_.offset({oc, ic, d, h, w});
      if (!std::isfinite(inputs.weights[place])) add_weight(oc, ic, {d, h, w});
    }
  }

  const std::vector<double>& get() const { return sums_; }

 private:
  using Spatial = reference::Spatial;

  void add_src(Extent n, Extent ic, const Spatial& i) {
    const Extent first = ic / g_.ICG() * g_.OCG();
    for (const auto& [od, oh, ow] : Grid<3>({g_.O[0], g_.O[1], g_.O[2]})) {
      const Spatial o = {od, oh, ow};
      Spatial k{};
      bool seen = true;
      for (std::size_t a = 0; a < 3; ++a) {
        const Extent from_start = i[a] + g_.P_begin[a] - o[a] * g_.S[a];
        k[a] = from_start / g_.D[a];
        seen = seen && from_start >= 0 && from_start % g_.D[a] == 0 && k[a] < g_.K[a];
      }
      for (Extent oc = first; seen && oc < first + g_.OCG(); ++oc) add(n, oc, o, ic, i, k);
    }
  }

  void add_weight(Extent oc, Extent ic, const Spatial& k) {
    const Extent c = oc / g_.OCG() * g_.ICG() + ic;
    for (const auto& [n, od, oh, ow] : Grid<4>({g_.N, g_.O[0], g_.O[1], g_.O[2]})) {
      const Spatial o = {od, oh, ow};
      Spatial i{};
      bool exists = true;
      for (std::size_t a = 0; a < 3; ++a) {
        i[a] = o[a] * g_.S[a] + k[a] * g_.D[a] - g_.P_begin[a];
        exists = exists && i[a] >= 0 && i[a] < g_.I[a];
      }
      if (exists) add(n, oc, o, c, i, k);
    }
  }

  void add(Extent n, Extent oc, const Spatial& o, Extent c, const Spatial& i, const Spatial& k) {
    const double x = inputs_.src[src_.offset({n, c, i[0], i[1], i[2]})];
    const double w = inputs_.weights[weights_.offset({oc, c % g_.ICG(), k[0], k[1], k[2]})];
    sums_[dst_.offset({n, oc, o[0], o[1], o[2]})] += x * w;
  }

  const reference::Geometry& g_;
  const Inputs& inputs_;
  Grid<5> src_, weights_, dst_;
  std::vector<double> sums_;
};

}  // namespace

std::span<const double> special_values() { return kSpecials; }

void plant_values(std::span<const double> values, SpecialPlace place, std::uint64_t seed,
                  const reference::Geometry& g, Inputs& inputs) {
  const std::array met = {meetings(g, 0), meetings(g, 1), meetings(g, 2)};
  if (met[0].empty() || met[1].empty() || met[2].empty() || g.N * g.IC * g.OC == 0) return;
  Xoshiro random(seed, kSpecialStream);
  const Grid<5> src({g.N, g.IC, g.I[0], g.I[1], g.I[2]});
  const Grid<5> weights({g.OC, g.ICG(), g.K[0], g.K[1], g.K[2]});
  const Extent oc = random.below(g.OC);
  for (const double value : values) {
    std::array<Meeting, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto count = static_cast<Extent>(met[axis].size());
      at[axis] = met[axis][static_cast<std::size_t>(random.below(count))];
    }
    const Extent n = random.below(g.N);
    if (place == SpecialPlace::kSrc) {
      const Extent ic = random.below(g.IC);
      inputs.src[src.offset({n, ic, at[0].i, at[1].i, at[2].i})] = value;
    } else {
      const Extent ic = random.below(g.ICG());
      inputs.weights[weights.offset({oc, ic, at[0].k, at[1].k, at[2].k})] = value;
    }
  }
}

bool tells_outputs_apart(const reference::Geometry& geometry, const Inputs& inputs) {
  const SpecialSums special(geometry, inputs);
  const std::vector<double>& sums = special.get();
  const bool reached =
      std::any_of(sums.begin(), sums.end(), [](double sum) { return !std::isfinite(sum); });
  const bool apart = std::any_of(sums.begin(), sums.end(),
                                 [&](double sum) { return !is_same_value(sum, sums.front()); });
  return reached && (apart || sums.size() == 1);
}

}  // namespace concord::conformance
