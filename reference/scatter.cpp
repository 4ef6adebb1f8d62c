// SPDX-License-Identifier: Apache-2.0
#include "reference/scatter.h"

#include <cmath>
#include <vector>

namespace concord::reference {
namespace {

// Filter entry k carries the input element to output o, on one axis.
struct Meeting {
  Extent k, o;
};

// For each input element of one axis, where it goes.
std::vector<std::vector<Meeting>> meetings(const Geometry& g, std::size_t axis) {
  std::vector<std::vector<Meeting>> result(static_cast<std::size_t>(g.I[axis]));
  for (Extent i = 0; i < g.I[axis]; ++i) {
    for (Extent k = 0; k < g.K[axis]; ++k) {
      const Extent start = i + g.P_begin[axis] - k * g.D[axis];
      if (start < 0) break;
      if (start % g.S[axis] != 0 || start / g.S[axis] >= g.O[axis]) continue;
      result[static_cast<std::size_t>(i)].push_back({k, start / g.S[axis]});
    }
  }
  return result;
}

// Where one element of src goes within an image of dst, and the filter entry that takes it there.
struct Route {
  std::size_t filter_place = 0, dst_place = 0;
};
using Routes = std::vector<Route>;

// All routes, one list an element of a src image, in the image's order: those of the outer axes,
// each continued by what it meets on the next one.
std::vector<Routes> all_routes(const Geometry& g) {
  std::vector<Routes> routes{{Route{}}};
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    const auto met = meetings(g, axis);
    std::vector<Routes> longer;
    for (const Routes& outer : routes) {
      for (const auto& element : met) {
        Routes& here = longer.emplace_back();
        for (const Route& route : outer) {
          for (const Meeting& m : element) {
            here.push_back({route.filter_place * static_cast<std::size_t>(g.K[axis]) +
                                static_cast<std::size_t>(m.k),
                            route.dst_place * static_cast<std::size_t>(g.O[axis]) +
                                static_cast<std::size_t>(m.o)});
          }
        }
      }
    }
    routes = std::move(longer);
  }
  return routes;
}

}  // namespace

Oracle scatter(const Geometry& g, std::span<const double> src, std::span<const double> weights,
               std::span<const double> bias) {
  const auto image = static_cast<std::size_t>(volume(g.I));
  const auto taps = static_cast<std::size_t>(volume(g.K));
  const auto pixels = static_cast<std::size_t>(volume(g.O));
  const auto N = static_cast<std::size_t>(g.N), IC = static_cast<std::size_t>(g.IC);
  const auto OC = static_cast<std::size_t>(g.OC), ICG = static_cast<std::size_t>(g.ICG());
  const auto OCG = static_cast<std::size_t>(g.OCG());
  const auto routes = all_routes(g);

  Oracle dst{std::vector<double>(N * OC * pixels), std::vector<double>(N * OC * pixels)};
  for (std::size_t i = 0; i < dst.value.size() && !bias.empty(); ++i) {
    dst.value[i] = bias[i / pixels % OC];
    dst.magnitude[i] = std::fabs(dst.value[i]);
  }
  for (std::size_t place = 0; place < N * IC * image; ++place) {
    const std::size_t n = place / image / IC, ic = place / image % IC;
    for (std::size_t oc = ic / ICG * OCG; oc < (ic / ICG + 1) * OCG; ++oc) {
      for (const Route& route : routes[place % image]) {
        const double product =
            src[place] * weights[(oc * ICG + ic % ICG) * taps + route.filter_place];
        const std::size_t to = (n * OC + oc) * pixels + route.dst_place;
        dst.value[to] += product;
        dst.magnitude[to] += std::fabs(product);
      }
    }
  }
  return dst;
}

}  // namespace concord::reference
