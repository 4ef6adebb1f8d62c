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

// What a net is asked for that predicts all weights: along one axis of output n.
double offset_of(const ContinuousRun& run, const ContinuousAxis& axis, Extent n, double first) {
  if (run.g.function == KernelFunction::kNetK) return first;
  return reference::net_input(run.g.function, axis, n).to_double();
}

// What K_theta is asked for: the distances; or one offset, of kNetK that of the first neighbour.
std::vector<double> distances_of(const ContinuousRun& run) {
  const Extent H = run.g.vertical.out, W = run.g.horizontal.out;
  const Grid<4> grid{{run.g.inputs(), 2, H, W}};
  std::vector<double> all(static_cast<std::size_t>(run.g.inputs() * 2 * H * W), 0.0);
  for (const auto [k, i, j] : kernel_grid(run.g)) {
    const auto near = near_at(run, i, j, k);
    if (!near) continue;
    double &v = all[grid.offset({k, 0, i, j})], &h = all[grid.offset({k, 1, i, j})];
    v = near->row.distance;
    h = near->column.distance;
    if (!predicts_all(run.g.function)) continue;
    v = offset_of(run, run.g.vertical, i, v);
    h = offset_of(run, run.g.horizontal, j, h);
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

std::vector<double> weights_gradient(const ContinuousHooks& hooks, const ContinuousRun& run) {
  std::vector<double> dW(run.weights.size(), 0.0);
  for_each_tap(hooks, run, [&](const NearTap& tap, std::size_t out, std::size_t pixel) {
    dW[tap.weight] += run.delta[out] * run.src[pixel];
  });
  return dW;
}

// The gradient by theta, or by the grid.
void compute_net_gradient(const ContinuousHooks& hooks, bool by_grid, ContinuousRun& run) {
  ContinuousGeometry g = run.g;
  const std::vector<double> dW = weights_gradient(hooks, run);
  std::vector<double> by_theta(run.theta.size(), 0.0);
  const Grid<3> places{{2, g.vertical.out, g.horizontal.out}};
  if (hooks.net != nullptr) hooks.net(g.net);
  const Grid<5> grid = reference::weights_grid(g);
  for (const auto [input, i, j] : kernel_grid(g)) {
    std::vector<double> G(
        static_cast<std::size_t>(g.Cout * g.Cin * (predicts_all(g.function) ? g.slots() : 1)));
    for (const auto [co, ci, k] : Grid<3>{{g.Cout, g.Cin, g.slots()}}) {
      const auto output = reference::kernel_output(g, input, co, ci, k);
      if (output) G[*output] = dW[grid.offset({co, ci, k, i, j})];
    }
    const Distance d = reference::distance_at(g, run.distances, input, i, j);
    const Distance by_d =
        reference::backpropagate_kernel(g, run.theta, d, G, by_grid ? by_theta : run.dst);
    if (!by_grid) continue;
    run.dst[places.offset({0, i, j})] += by_d[0];
    run.dst[places.offset({1, i, j})] += by_d[1];
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
      compute_net_gradient(hooks, false, run);
      break;
    case Operation::kContinuousBackwardGrid:
      compute_net_gradient(hooks, true, run);
      break;
    case Operation::kContinuousBackwardKernel:
      run.dst = weights_gradient(hooks, run);
      break;
    default:
      compute_layer(hooks, run);
  }
  if (hooks.outputs != nullptr) hooks.outputs(run);
}

std::vector<double> compute_chain(const ContinuousHooks& hooks, const Problem& problem,
                                  ContinuousChainGeometry chain, std::vector<double> src,
                                  const std::vector<double>& theta) {
  if (hooks.chain != nullptr) hooks.chain(chain);
  const std::size_t parameters = theta.size() / chain.layers.size();
  for (std::size_t layer = 0; layer < chain.layers.size(); ++layer) {
    const std::size_t row = hooks.theta_of == nullptr ? layer : hooks.theta_of(chain, layer);
    const auto begin = theta.begin() + static_cast<std::ptrdiff_t>(row * parameters);
    const ContinuousGeometry& g = chain.layers[layer];
    const auto outputs = static_cast<std::size_t>(element_count(g.dst()).value());
    ContinuousRun run{problem,
                      g,
                      std::move(src),
                      {begin, begin + static_cast<std::ptrdiff_t>(parameters)},
                      {},
                      std::vector<double>(outputs, 0.0)};
    compute(hooks, run);
    src = std::move(run.dst);
    if (hooks.between != nullptr && layer + 1 < chain.layers.size()) hooks.between(src);
  }
  return src;
}

}  // namespace concord::backends::faulty
