// SPDX-License-Identifier: Apache-2.0
#include "reference/continuous_kernel.h"

#include <algorithm>
#include <cmath>

namespace concord::reference {
namespace {

std::vector<std::vector<Neighbour>> all_neighbours(const ContinuousAxis& axis) {
  std::vector<std::vector<Neighbour>> all;
  for (Extent n = 0; n < axis.out; ++n) all.push_back(neighbours(axis, n));
  return all;
}

// The sum of what goes to pairs of equal channels, which alone have Keys' cubic.
double diagonal_sum(const ContinuousGeometry& g, std::span<const double> of_pairs) {
  double sum = 0;
  for (Extent c = 0; c < std::min(g.Cout, g.Cin); ++c) {
    sum += of_pairs[static_cast<std::size_t>(c * g.Cin + c)];
  }
  return sum;
}

}  // namespace

Places::Places(const ContinuousGeometry& geometry)
    : columns_(geometry.horizontal.slots()),
      vertical_(all_neighbours(geometry.vertical)),
      horizontal_(all_neighbours(geometry.horizontal)) {}

std::optional<Places::Pair> Places::at(Extent i, Extent j, Extent k) const {
  const auto& rows = vertical_[static_cast<std::size_t>(i)];
  const auto& columns = horizontal_[static_cast<std::size_t>(j)];
  const auto row = static_cast<std::size_t>(k / columns_);
  const auto column = static_cast<std::size_t>(k % columns_);
  if (row >= rows.size() || column >= columns.size()) return std::nullopt;
  return Pair{rows[row], columns[column]};
}

std::optional<Places::Pixel> Places::pixel(Extent i, Extent j, Extent k) const {
  const auto neighbour = at(i, j, k);
  if (!neighbour || !neighbour->row.source || !neighbour->column.source) return std::nullopt;
  return Pixel{*neighbour->row.source, *neighbour->column.source};
}

Grid<5> weights_grid(const ContinuousGeometry& g) {
  return Grid<5>{{g.Cout, g.Cin, g.slots(), g.vertical.out, g.horizontal.out}};
}

Distance distance_at(const ContinuousGeometry& g, std::span<const double> distances, Extent input,
                     Extent i, Extent j) {
  const Grid<4> grid{{g.inputs(), 2, g.vertical.out, g.horizontal.out}};
  return {distances[grid.offset({input, 0, i, j})], distances[grid.offset({input, 1, i, j})]};
}

std::optional<std::size_t> kernel_output(const ContinuousGeometry& g, Extent input, Extent co,
                                         Extent ci, Extent k) {
  const Extent pair = co * g.Cin + ci;
  if (predicts_all(g.function)) return static_cast<std::size_t>(pair * g.slots() + k);
  if (k != input) return std::nullopt;
  return static_cast<std::size_t>(pair);
}

Oracle evaluate_kernel(const ContinuousGeometry& g, std::span<const double> theta,
                       const Distance& d) {
  if (g.function != KernelFunction::kKeys) return evaluate_net(g.net, theta, d);
  const double value = keys_cubic(d[0]) * keys_cubic(d[1]);
  const double magnitude = keys_magnitude(d[0]) * keys_magnitude(d[1]);
  Oracle kernel;
  for (const auto [co, ci] : Grid<2>{{g.Cout, g.Cin}}) {
    kernel.value.push_back(co == ci ? value : 0);
    kernel.magnitude.push_back(co == ci ? magnitude : 0);
  }
  return kernel;
}

Distance backpropagate_kernel(const ContinuousGeometry& g, std::span<const double> theta,
                              const Distance& d, std::span<const double> G,
                              std::span<double> gradient) {
  if (g.function != KernelFunction::kKeys) {
    return backpropagate_net(g.net, theta, d, G, gradient);
  }
  const double diagonal = diagonal_sum(g, G);
  return {diagonal * keys_slope(d[0]) * keys_cubic(d[1]),
          diagonal * keys_cubic(d[0]) * keys_slope(d[1])};
}

Distance add_kernel_magnitudes(const ContinuousGeometry& g, std::span<const double> theta,
                               const Distance& d, std::span<const double> G_magnitude,
                               std::span<double> magnitude) {
  if (g.function != KernelFunction::kKeys) {
    return add_gradient_magnitudes(g.net, theta, d, G_magnitude, magnitude);
  }
  const double diagonal = diagonal_sum(g, G_magnitude);
  return {diagonal * keys_slope_magnitude(d[0]) * keys_magnitude(d[1]),
          diagonal * keys_magnitude(d[0]) * keys_slope_magnitude(d[1])};
}

}  // namespace concord::reference
