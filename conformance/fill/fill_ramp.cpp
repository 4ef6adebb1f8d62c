// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

constexpr Extent kMaxBias = 63;
// So many are drawn for fewer axes, too: the codes of a place do not depend on leading axes of 1.
constexpr std::size_t kFactors = 5;

// The code of a place: its index times one factor an axis, modulo the number of codes. A factor
// has no divisor in common with that number, so along an axis no code comes twice before all have.
class Codes {
 public:
  // Of the last `axes` axes; the others have one place each.
  Codes(Extent largest, std::size_t axes, Xoshiro& random) : largest_(largest) {
    for (std::size_t axis = kMaxRank - axes; axis < kMaxRank; ++axis) {
      do {
        factors_[axis] = random.between(1, 2 * largest - 1);
      } while (std::gcd(factors_[axis], 2 * largest) != 1);
    }
  }

  // One of -largest..-1 and 1..largest.
  double of(const std::array<Extent, kMaxRank>& place) const {
    Extent code = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      code = (code + place[axis] % (2 * largest_) * factors_[axis]) % (2 * largest_);
    }
    return static_cast<double>(code < largest_ ? code + 1 : largest_ - code - 1);
  }

 private:
  Extent largest_;
  std::array<Extent, kMaxRank> factors_{};
};

}  // namespace

// Any other tap would only show padding.
std::vector<Extent> live_taps(const reference::Geometry& g) {
  std::array<std::vector<bool>, reference::kSpatialRank> alive;
  for (std::size_t axis = 0; axis < alive.size(); ++axis) {
    alive[axis].resize(static_cast<std::size_t>(g.K[axis]));
    for (const Meeting& meeting : meetings(g, axis)) {
      alive[axis][static_cast<std::size_t>(meeting.k)] = true;
    }
  }
  std::vector<Extent> taps;
  const Grid kernel(reference::joined(g.ICG(), g.K));
  for (const auto& tap : kernel) {
    bool all = true;
    for (std::size_t axis = 0; axis < alive.size(); ++axis) {
      all = all && alive[axis][static_cast<std::size_t>(tap[axis + 1])];
    }
    if (all) taps.push_back(static_cast<Extent>(kernel.offset(tap)));
  }
  return taps;
}

std::vector<double> place_codes(const Extents& dims, Extent largest, Xoshiro& random) {
  std::array<Extent, kMaxRank> extents;
  extents.fill(1);
  CONCORD_CHECK(dims.size() <= extents.size()) << dims.size();
  std::copy_backward(dims.begin(), dims.end(), extents.end());
  const Codes codes(largest, std::max(dims.size(), kFactors), random);
  std::vector<double> values;
  for (const auto& place : Grid(extents)) values.push_back(codes.of(place));
  return values;
}

// Every output channel has one weight, 1, so that dst is src's codes, moved: a wrong element names
// the place that was read in its stead. The channels take different taps; where there is only one
// to take, every second channel has it with -1.
Inputs fill_ramp(const FillOrder& order) {
  const reference::Geometry& g = order.geometry;
  Inputs inputs = make_zeros(order);
  const Extent largest = most_codes(order.dtype, order.arithmetic) - kMaxBias;
  Xoshiro src(order.seed, static_cast<std::uint64_t>(Stream::kSrc));
  Extents dims{g.N, g.IC};
  dims.insert(dims.end(), g.I.begin() + static_cast<std::ptrdiff_t>(g.first_axis()), g.I.end());
  inputs.src = place_codes(dims, largest, src);

  const std::vector<Extent> taps = live_taps(g);
  if (!taps.empty()) {
    Extent first = 0;
    double weight = 1;
    for (const auto& hand : deal_taps(g, taps, 1, order.seed)) {
      inputs.weights[static_cast<std::size_t>(first + hand.front())] = weight;
      first += g.products();
      if (taps.size() == 1 && g.OCG() > 1) weight = -weight;
    }
  }

  Xoshiro bias(order.seed, static_cast<std::uint64_t>(Stream::kBias));
  const SignedInteger draw_bias(kMaxBias);
  for (double& b : inputs.bias) b = draw_bias(bias);
  return inputs;
}

}  // namespace concord::conformance
