// SPDX-License-Identifier: Apache-2.0
// In the paper's symbols: output n = (i, j), its k-th neighbour m, b the batch's element.
#include "reference/continuous.h"

#include <cmath>

#include "reference/continuous_kernel.h"
#include "reference/sum.h"
#include "spec/grid.h"

namespace concord::reference {

Rational net_input(KernelFunction function, const ContinuousAxis& axis, Extent n) {
  const Rational g = grid_point(axis, n);
  if (function == KernelFunction::kNetKGrid) return g;
  if (function == KernelFunction::kNetKNearest) return g - (g - Rational(1, 2)).ceil();
  return g - first_neighbour(axis, n);
}

std::vector<double> distances(const ContinuousGeometry& geometry) {
  const Extent H = geometry.vertical.out, W = geometry.horizontal.out;
  const bool offsets = predicts_all(geometry.function);
  const Places places(geometry);
  const Grid<4> grid{{geometry.inputs(), 2, H, W}};
  std::vector<double> d;
  for (const auto [k, axis, i, j] : grid) {
    const ContinuousAxis& along = axis == 0 ? geometry.vertical : geometry.horizontal;
    const Extent n = axis == 0 ? i : j;
    if (offsets) {
      d.push_back(net_input(geometry.function, along, n).to_double());
    } else if (const auto neighbour = places.at(i, j, k)) {
      d.push_back((axis == 0 ? neighbour->row : neighbour->column).distance.to_double());
    } else {
      d.push_back(0);
    }
  }
  return d;
}

Oracle continuous_weights(const ContinuousGeometry& geometry, std::span<const double> theta,
                          std::span<const double> distances) {
  const Extent H = geometry.vertical.out, W = geometry.horizontal.out;
  const Grid<5> grid = weights_grid(geometry);
  const auto count =
      static_cast<std::size_t>(geometry.Cout * geometry.Cin * geometry.slots() * H * W);
  const Places places(geometry);
  Oracle weights{std::vector<double>(count, 0.0), std::vector<double>(count, 0.0)};
  for (const auto [input, i, j] : Grid<3>{{geometry.inputs(), H, W}}) {
    const Oracle kernel =
        evaluate_kernel(geometry, theta, distance_at(geometry, distances, input, i, j));
    for (const auto [co, ci, k] : Grid<3>{{geometry.Cout, geometry.Cin, geometry.slots()}}) {
      const auto output = kernel_output(geometry, input, co, ci, k);
      if (!output || !places.at(i, j, k)) continue;
      const std::size_t place = grid.offset({co, ci, k, i, j});
      weights.value[place] = kernel.value[*output];
      weights.magnitude[place] = kernel.magnitude[*output];
    }
  }
  return weights;
}

Oracle apply_weights(const ContinuousGeometry& geometry, std::span<const double> src,
                     const Oracle& weights) {
  const Extent Cin = geometry.Cin;
  const Grid<4> src_grid{{geometry.N, Cin, geometry.vertical.in, geometry.horizontal.in}};
  const Grid<5> grid = weights_grid(geometry);
  const Places places(geometry);
  Oracle dst;
  for (const auto [b, co, i, j] :
       Grid<4>{{geometry.N, geometry.Cout, geometry.vertical.out, geometry.horizontal.out}}) {
    Sum sum;
    double magnitude = 0;
    for (const auto [ci, k] : Grid<2>{{Cin, geometry.slots()}}) {
      const auto m = places.pixel(i, j, k);
      if (!m) continue;
      const double I = src[src_grid.offset({b, ci, m->row, m->column})];
      const std::size_t place = grid.offset({co, ci, k, i, j});
      sum.add(I * weights.value[place]);
      magnitude += std::fabs(I) * weights.magnitude[place];
    }
    dst.value.push_back(sum.value);
    dst.magnitude.push_back(magnitude);
  }
  return dst;
}

Oracle evaluate_continuous(const ContinuousGeometry& geometry, std::span<const double> src,
                           std::span<const double> theta) {
  return apply_weights(geometry, src, continuous_weights(geometry, theta, distances(geometry)));
}

}  // namespace concord::reference
