// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_special.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

using reference::kSpatialRank;
using reference::Spatial;

// True if the tap lies outside of src, along these axes and no others.
bool meets_padding(const reference::Geometry& g, const Spatial& o, const Spatial& k,
                   const SpatialChoice& along) {
  bool meets = false;
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    const Extent i = o[axis] * g.S[axis] + k[axis] * g.D[axis] - g.P_begin[axis];
    if (i >= 0 && i < g.I[axis]) continue;
    if (!along[axis]) return false;
    meets = true;
  }
  return meets;
}

bool has_padding(const reference::Geometry& g, std::size_t axis) {
  const Extent last = (g.O[axis] - 1) * g.S[axis] + (g.K[axis] - 1) * g.D[axis] - g.P_begin[axis];
  return g.P_begin[axis] > 0 || last >= g.I[axis];
}

// All choices of axes that have padding, but for none of them.
std::vector<SpatialChoice> choices(const reference::Geometry& g) {
  std::vector<SpatialChoice> all;
  for (unsigned bits = (1U << kSpatialRank) - 1; bits > 0; --bits) {
    SpatialChoice along{};
    bool differs = true;
    for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
      along[axis] = ((bits >> axis) & 1U) != 0;
      differs = differs && (!along[axis] || has_padding(g, axis));
    }
    if (differs) all.push_back(along);
  }
  return all;
}

// True if the class may have made `got` of `want`, though another class may not.
bool is_excused(const concord_arithmetic& arithmetic, double got, double want) {
  if (is_bilinear(arithmetic)) return !std::isfinite(got);
  return arithmetic.input_precision == CONCORD_INPUT_BF16X3 && std::isinf(want) && std::isnan(got);
}

}  // namespace

Finding judge_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                      std::span<const double> got, std::span<const double> want,
                      std::span<const double> magnitude, const ChannelBias& bias,
                      std::span<const double> low) {
  std::vector<double> wanted(want.begin(), want.end());
  // An element that is not finite has no scale of error; one that is has a finite one.
  std::vector<double> scale(magnitude.begin(), magnitude.end());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!std::isfinite(wanted[i])) scale[i] = 0;
    if (is_excused(arithmetic, got[i], wanted[i])) wanted[i] = got[i];
  }
  return judge_interval(dtype, arithmetic, bound, got, wanted, scale, bias, low);
}

std::vector<double> with_padding_multiplied(const reference::Geometry& g,
                                            std::span<const double> weights,
                                            std::span<const double> want,
                                            const SpatialChoice& along) {
  std::vector<double> multiplied(want.begin(), want.end());
  const Grid dst(reference::joined(g.N, g.OC, g.O));
  std::size_t at = 0;
  for (const auto& weight : Grid(reference::joined(g.OC, g.ICG(), g.K))) {
    if (std::isfinite(weights[at++])) continue;
    const Spatial k = reference::spatial_part(weight);
    for (const auto& output : Grid(reference::joined(g.N, g.O))) {
      const Spatial o = reference::spatial_part(output);
      if (!meets_padding(g, o, k, along)) continue;
      multiplied[dst.offset(reference::joined(output[0], weight[0], o))] =
          std::numeric_limits<double>::quiet_NaN();
    }
  }
  return multiplied;
}

Finding judge_special(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                      const reference::Geometry& geometry, std::span<const double> weights,
                      std::span<const double> got, std::span<const double> want,
                      std::span<const double> magnitude, const ChannelBias& bias,
                      std::span<const double> low) {
  CONCORD_CHECK(got.size() == want.size() && magnitude.size() == want.size())
      << got.size() << ", " << want.size() << " and " << magnitude.size();
  const auto judge = [&](std::span<const double> wanted) {
    return judge_special(dtype, arithmetic, bound, got, wanted, magnitude, bias, low);
  };
  Finding best = judge(want);
  const bool differ =
      !std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); });
  if (best.passed() || !differ) return best;
  for (const SpatialChoice& along : choices(geometry)) {
    Finding multiplied = judge(with_padding_multiplied(geometry, weights, want, along));
    if (multiplied.wrong < best.wrong) best = std::move(multiplied);
    if (best.passed()) break;
  }
  return best;
}

}  // namespace concord::conformance
