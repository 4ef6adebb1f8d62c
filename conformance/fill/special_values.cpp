// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/special_values.h"

#include <array>
#include <limits>

#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kSpecialStream = 29;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kSpecials = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};

}  // namespace

void plant_special_values(SpecialPlace place, std::uint64_t seed, const reference::Geometry& g,
                          Inputs& inputs) {
  const std::array met = {meetings(g, 0), meetings(g, 1), meetings(g, 2)};
  if (met[0].empty() || met[1].empty() || met[2].empty() || g.N * g.IC * g.OC == 0) return;
  Xoshiro random(seed, kSpecialStream);
  const Grid<5> src({g.N, g.IC, g.I[0], g.I[1], g.I[2]});
  const Grid<5> weights({g.OC, g.ICG(), g.K[0], g.K[1], g.K[2]});
  const Extent oc = random.below(g.OC);
  for (const double special : kSpecials) {
    std::array<Meeting, 3> at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto count = static_cast<Extent>(met[axis].size());
      at[axis] = met[axis][static_cast<std::size_t>(random.below(count))];
    }
    const Extent n = random.below(g.N);
    if (place == SpecialPlace::kSrc) {
      const Extent ic = random.below(g.IC);
      inputs.src[src.offset({n, ic, at[0].i, at[1].i, at[2].i})] = special;
    } else {
      const Extent ic = random.below(g.ICG());
      inputs.weights[weights.offset({oc, ic, at[0].k, at[1].k, at[2].k})] = special;
    }
  }
}

}  // namespace concord::conformance
