// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>

#include "reference/continuous.h"
#include "reference/wide.h"

namespace concord::reference {
namespace {

Extent capped(Wide count) { return fits(count) ? static_cast<Extent>(count) : INT64_MAX; }

Extent product(std::initializer_list<Extent> factors) {
  Extent product = 1;
  for (const Extent factor : factors) product = capped(Wide{product} * factor);
  return product;
}

// A distance is a quotient of integers up to twice an extent times a part of the scale: two of them
// are rounded, too, where they do not fit f64.
Extent distance_roundings(const ContinuousGeometry& g) {
  const auto fits_f64 = [](const ContinuousAxis& axis) {
    const Extent part = std::max(axis.scale.numerator(), axis.scale.denominator());
    return Wide{2} * part * (Wide{axis.in} + axis.out + axis.K) <= Wide{1} << 53;
  };
  return fits_f64(g.vertical) && fits_f64(g.horizontal) ? 1 : 3;
}

// Up to the outputs of the second layer.
Extent hidden_roundings(const ContinuousGeometry& g) {
  return capped(Wide{distance_roundings(g)} + 4 + 2 + (Wide{g.net.w1} + 2) + 2);
}

Extent kernel_roundings(const ContinuousGeometry& g) {
  if (g.function == KernelFunction::kKeys) return 15 + distance_roundings(g);
  return capped(Wide{hidden_roundings(g)} + g.net.w2 + 2);
}

// How often one pixel is a neighbour, along one axis; or a bound, where counting takes too long.
Extent most_outputs_of_a_pixel(const ContinuousAxis& axis) {
  constexpr Extent kCounted = 4096;
  if (axis.out > kCounted || axis.K > kCounted) return capped(Wide{axis.out} * axis.slots());
  std::map<Extent, Extent> outputs;
  Extent most = 0;
  for (Extent n = 0; n < axis.out; ++n) {
    for (const Neighbour& neighbour : neighbours(axis, n)) {
      if (neighbour.source) most = std::max(most, ++outputs[*neighbour.source]);
    }
  }
  return most;
}

}  // namespace

Extent forward_roundings(const ContinuousGeometry& g) {
  const Extent weights_first = capped(Wide{kernel_roundings(g)} + product({g.Cin, g.slots()}));
  if (g.function == KernelFunction::kKeys) return weights_first;
  const Extent pixels_first = capped(Wide{hidden_roundings(g)} + 2 + g.slots() +
                                     product({g.Cin, capped(Wide{g.net.w2} + 1)}));
  if (!predicts_all(g.function)) return std::max(weights_first, pixels_first);
  // The features are not those of one neighbour: each of the last layer's products has its own sum.
  const Extent features_first = capped(Wide{hidden_roundings(g)} + 2 +
                                       product({g.Cin, g.slots(), capped(Wide{g.net.w2} + 1)}));
  return std::max({weights_first, pixels_first, features_first});
}

Extent backward_data_roundings(const ContinuousGeometry& g) {
  return capped(Wide{kernel_roundings(g)} + product({g.Cout, most_outputs_of_a_pixel(g.vertical),
                                                     most_outputs_of_a_pixel(g.horizontal)}));
}

Extent backward_weights_roundings(const ContinuousGeometry& g) {
  return capped(Wide{2} * kernel_roundings(g) +
                product({capped(Wide{g.N} + 1), g.vertical.out, g.horizontal.out, g.slots()}) +
                g.net.C_final);
}

Extent backward_grid_roundings(const ContinuousGeometry& g) {
  return capped(Wide{2} * kernel_roundings(g) + product({capped(Wide{g.N} + 1), g.slots()}) +
                g.net.C_final);
}

}  // namespace concord::reference
