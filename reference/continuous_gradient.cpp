// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reference/continuous.h"
#include "reference/continuous_kernel.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

Oracle zeros(std::size_t count) {
  return {std::vector<double>(count, 0.0), std::vector<double>(count, 0.0)};
}

struct Task {
  const ContinuousGeometry& geometry;
  const Places& places;
  std::span<const double> src, theta, delta;
};

// delta through Eq. 3: to the pixels, by way of `weights`, and to the weights.
void through_application(const Task& task, const Oracle& weights, ContinuousGradients& gradients) {
  const ContinuousGeometry& g = task.geometry;
  const Grid<4> dst_grid{{g.N, g.Cout, g.vertical.out, g.horizontal.out}};
  const Grid<4> src_grid{{g.N, g.Cin, g.vertical.in, g.horizontal.in}};
  const Grid<5> grid = weights_grid(g);
  for (const auto& n : dst_grid) {
    const auto [b, co, i, j] = n;
    const double delta = task.delta[dst_grid.offset(n)];
    for (const auto [ci, k] : Grid<2>{{g.Cin, g.slots()}}) {
      const auto m = task.places.pixel(i, j, k);
      if (!m) continue;
      const std::size_t pixel = src_grid.offset({b, ci, m->row, m->column});
      const std::size_t weight = grid.offset({co, ci, k, i, j});
      gradients.weights.value[weight] += delta * task.src[pixel];
      gradients.weights.magnitude[weight] += std::fabs(delta * task.src[pixel]);
      gradients.src.value[pixel] += weights.value[weight] * delta;
      gradients.src.magnitude[pixel] += weights.magnitude[weight] * std::fabs(delta);
    }
  }
}

// The weights' gradient at the values that the kernel has at `input`.
std::vector<double> kernel_gradient(const Task& task, const std::vector<double>& weights,
                                    Extent input, Extent i, Extent j) {
  const ContinuousGeometry& g = task.geometry;
  const Extent count = g.Cout * g.Cin * (predicts_all(g.function) ? g.slots() : 1);
  const Grid<5> grid = weights_grid(g);
  std::vector<double> G(static_cast<std::size_t>(count), 0.0);
  for (const auto [co, ci, k] : Grid<3>{{g.Cout, g.Cin, g.slots()}}) {
    const auto output = kernel_output(g, input, co, ci, k);
    if (output && task.places.at(i, j, k)) G[*output] = weights[grid.offset({co, ci, k, i, j})];
  }
  return G;
}

// The weights' gradient through the kernel: to theta and to the grid.
void through_kernel(const Task& task, std::span<const double> distances,
                    ContinuousGradients& gradients) {
  const ContinuousGeometry& g = task.geometry;
  const Extent H = g.vertical.out, W = g.horizontal.out;
  const Grid<3> grid{{2, H, W}};
  for (const auto [input, i, j] : Grid<3>{{g.inputs(), H, W}}) {
    const Distance at = distance_at(g, distances, input, i, j);
    const Distance d = backpropagate_kernel(
        g, task.theta, at, kernel_gradient(task, gradients.weights.value, input, i, j),
        gradients.theta.value);
    const Distance magnitude = add_kernel_magnitudes(
        g, task.theta, at, kernel_gradient(task, gradients.weights.magnitude, input, i, j),
        gradients.theta.magnitude);
    for (const Extent axis : {Extent{0}, Extent{1}}) {
      const std::size_t place = grid.offset({axis, i, j});
      gradients.grid.value[place] += d[static_cast<std::size_t>(axis)];
      gradients.grid.magnitude[place] += magnitude[static_cast<std::size_t>(axis)];
    }
  }
}

}  // namespace

ContinuousGradients continuous_gradients(const ContinuousGeometry& geometry,
                                         std::span<const double> src, std::span<const double> theta,
                                         std::span<const double> delta) {
  const std::vector<double> d = distances(geometry);
  const Oracle weights = continuous_weights(geometry, theta, d);
  const auto outputs = static_cast<std::size_t>(geometry.vertical.out * geometry.horizontal.out);
  const Places places(geometry);
  const Task task{geometry, places, src, theta, delta};
  ContinuousGradients gradients{zeros(src.size()), zeros(weights.value.size()), zeros(theta.size()),
                                zeros(2 * outputs)};
  through_application(task, weights, gradients);
  through_kernel(task, d, gradients);
  return gradients;
}

}  // namespace concord::reference
