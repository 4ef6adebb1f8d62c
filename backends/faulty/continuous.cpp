// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/continuous.h"

#include "reference/continuous_kernel.h"
#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

std::vector<Nears> nears_along(const ContinuousHooks& hooks, const ContinuousAxis& axis) {
  std::vector<Nears> all;
  for (Extent n = 0; n < axis.out; ++n) {
    Nears nears;
    for (const reference::Neighbour& found : reference::neighbours(axis, n)) {
      nears.push_back({found.m, found.distance.to_double(), found.source});
    }
    if (hooks.nears != nullptr) hooks.nears(axis, n, nears);
    all.push_back(std::move(nears));
  }
  return all;
}

struct Pair {
  const Near& row;
  const Near& column;
};

// The neighbour at place k of output (i, j), if it has so many.
std::optional<Pair> near_at(const ContinuousRun& run, Extent i, Extent j, Extent k) {
  const Nears& rows = run.rows[static_cast<std::size_t>(i)];
  const Nears& columns = run.columns[static_cast<std::size_t>(j)];
  const auto row = static_cast<std::size_t>(k / run.g.horizontal.slots());
  const auto column = static_cast<std::size_t>(k % run.g.horizontal.slots());
  if (row >= rows.size() || column >= columns.size()) return std::nullopt;
  return Pair{rows[row], columns[column]};
}

Grid<3> kernel_grid(const ContinuousGeometry& g) {
  return Grid<3>{{g.inputs(), g.vertical.out, g.horizontal.out}};
}

// What K_theta is asked for: the distances; of kNetK that of the first neighbour, the offset.
std::vector<double> distances_of(const ContinuousRun& run) {
  const Extent H = run.g.vertical.out, W = run.g.horizontal.out;
  const Grid<4> grid{{run.g.inputs(), 2, H, W}};
  std::vector<double> all(static_cast<std::size_t>(run.g.inputs() * 2 * H * W), 0.0);
  for (const auto [k, i, j] : kernel_grid(run.g)) {
    const auto near = near_at(run, i, j, k);
    if (!near) continue;
    all[grid.offset({k, 0, i, j})] = near->row.distance;
    all[grid.offset({k, 1, i, j})] = near->column.distance;
  }
  return all;
}

std::vector<double> weights_of(const ContinuousRun& run) {
  const ContinuousGeometry& g = run.g;
  const Grid<5> grid = reference::weights_grid(g);
  std::vector<double> weights(
      static_cast<std::size_t>(g.Cout * g.Cin * g.slots() * g.vertical.out * g.horizontal.out));
  for (const auto [input, i, j] : kernel_grid(g)) {
    const Distance d = reference::distance_at(g, run.distances, input, i, j);
    const auto kernel = reference::evaluate_kernel(g, run.theta, d);
    for (const auto [co, ci, k] : Grid<3>{{g.Cout, g.Cin, g.slots()}}) {
      const auto output = reference::kernel_output(g, input, co, ci, k);
      if (output && near_at(run, i, j, k)) {
        weights[grid.offset({co, ci, k, i, j})] = kernel.value[*output];
      }
    }
  }
  return weights;
}

// Calls `visit` with each tap whose pixel exists and the places of its output and its pixel.
template <class Visit>
void for_each_tap(const ContinuousHooks& hooks, const ContinuousRun& run, Visit visit) {
  const ContinuousGeometry& g = run.g;
  const Grid<4> outputs{{g.N, g.Cout, g.vertical.out, g.horizontal.out}};
  const Grid<4> pixels{{g.N, g.Cin, g.vertical.in, g.horizontal.in}};
  const Grid<5> weights = reference::weights_grid(g);
  for (const auto& out : outputs) {
    const auto [b, co, i, j] = out;
    for (const auto [ci, k] : Grid<2>{{g.Cin, g.slots()}}) {
      const auto near = near_at(run, i, j, k);
      if (!near) continue;
      const bool exists = near->row.source && near->column.source;
      NearTap tap{b,
                  co,
                  ci,
                  k,
                  i,
                  j,
                  near->row.source.value_or(0),
                  near->column.source.value_or(0),
                  weights.offset({co, ci, k, i, j}),
                  exists};
      if (hooks.tap != nullptr) hooks.tap(run, tap);
      if (!tap.counts) continue;
      visit(tap, outputs.offset(out), pixels.offset({tap.b, tap.ci, tap.row, tap.column}));
    }
  }
}

void compute_layer(const ContinuousHooks& hooks, ContinuousRun& run) {
  for_each_tap(hooks, run, [&](const NearTap& tap, std::size_t out, std::size_t pixel) {
    run.dst[out] += run.src[pixel] * run.weights[tap.weight];
  });
}

void compute_data_gradient(const ContinuousHooks& hooks, ContinuousRun& run) {
  for_each_tap(hooks, run, [&](const NearTap& tap, std::size_t out, std::size_t pixel) {
    const double share = run.weights[tap.weight] * run.delta[out];
    run.dst[pixel] = hooks.gradient_overwrites ? share : run.dst[pixel] + share;
  });
}

void compute_theta_gradient(const ContinuousHooks& hooks, ContinuousRun& run) {
  ContinuousGeometry g = run.g;
  std::vector<double> dW(run.weights.size(), 0.0);
  for_each_tap(hooks, run, [&](const NearTap& tap, std::size_t out, std::size_t pixel) {
    dW[tap.weight] += run.delta[out] * run.src[pixel];
  });
  if (hooks.net != nullptr) hooks.net(g.net);
  const Grid<5> grid = reference::weights_grid(g);
  for (const auto [input, i, j] : kernel_grid(g)) {
    std::vector<double> G(static_cast<std::size_t>(
        g.Cout * g.Cin * (g.function == KernelFunction::kNetK ? g.slots() : 1)));
    for (const auto [co, ci, k] : Grid<3>{{g.Cout, g.Cin, g.slots()}}) {
      const auto output = reference::kernel_output(g, input, co, ci, k);
      if (output) G[*output] = dW[grid.offset({co, ci, k, i, j})];
    }
    const Distance d = reference::distance_at(g, run.distances, input, i, j);
    reference::backpropagate_kernel(g, run.theta, d, G, run.dst);
  }
}

}  // namespace

void compute(const ContinuousHooks& hooks, ContinuousRun& run) {
  if (hooks.geometry != nullptr) hooks.geometry(run.problem, run.g);
  if (hooks.inputs != nullptr) hooks.inputs(run);
  run.rows = nears_along(hooks, run.g.vertical);
  run.columns = nears_along(hooks, run.g.horizontal);
  run.distances = distances_of(run);
  if (hooks.distances != nullptr) hooks.distances(run);
  run.weights = weights_of(run);
  if (hooks.weights != nullptr) hooks.weights(run);
  switch (run.problem.operation()) {
    case Operation::kContinuousBackwardData:
      compute_data_gradient(hooks, run);
      break;
    case Operation::kContinuousBackwardWeights:
      compute_theta_gradient(hooks, run);
      break;
    default:
      compute_layer(hooks, run);
  }
  if (hooks.outputs != nullptr) hooks.outputs(run);
}

}  // namespace concord::backends::faulty
