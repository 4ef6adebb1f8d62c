// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/chain.h"

#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

// The image made larger, at its end, to whole blocks: the elements of all phases.
struct Blocks {
  Extent rows, columns;
  Grid<4> grid;
  std::size_t size;
};

Blocks blocks_of(const ChainGeometry& g) {
  const auto whole = [&](Extent extent) { return (extent + g.rate - 1) / g.rate * g.rate; };
  const Extent rows = whole(g.height), columns = whole(g.width);
  return {rows, columns, Grid<4>{{g.batch, rows, columns, g.channels}},
          static_cast<std::size_t>(g.batch * rows * columns * g.channels)};
}

std::vector<double> layer_of(const ChainGeometry& g, const Blocks& blocks, Extent rate,
                             const std::vector<double>& net, const double* filters) {
  const Grid<4> filters_grid{{g.filter_height, g.filter_width, g.channels, g.channels}};
  const Extent top = g.filter_height / 2 * rate, left = g.filter_width / 2 * rate;
  std::vector<double> out;
  for (const auto [b, row, column, out_channel] : blocks.grid) {
    double sum = 0;
    for (const auto [u, v, c] : Grid<3>{{g.filter_height, g.filter_width, g.channels}}) {
      const Extent y = row + u * rate - top, x = column + v * rate - left;
      if (y < 0 || y >= blocks.rows || x < 0 || x >= blocks.columns) continue;
      sum += filters[filters_grid.offset({u, v, c, out_channel})] *
             net[blocks.grid.offset({b, y, x, c})];
    }
    out.push_back(sum);
  }
  return out;
}

}  // namespace

std::vector<double> chain(const ChainHooks& hooks, const ChainGeometry& right,
                          const std::vector<double>& src, const std::vector<double>& weights) {
  ChainGeometry g = right;
  if (hooks.geometry != nullptr) hooks.geometry(g);
  const Blocks blocks = blocks_of(g);
  const Grid<4> pixels{{g.batch, g.height, g.width, g.channels}};
  std::vector<double> net(blocks.size);
  for (const auto at : pixels) net[blocks.grid.offset(at)] = src[pixels.offset(at)];
  for (Extent layer = 0; layer < g.layers; ++layer) {
    const Extent which = hooks.filters == nullptr ? layer : hooks.filters(g, layer);
    const Extent rate = hooks.rate == nullptr ? g.rate : hooks.rate(g, layer);
    net = layer_of(g, blocks, rate, net, weights.data() + which * g.products() * g.channels);
    for (const auto [b, row, column, c] : blocks.grid) {
      if (row < g.height && column < g.width) continue;
      const bool keeps = hooks.keeps == nullptr ? g.as_printed : hooks.keeps(g, row, column);
      if (!keeps) net[blocks.grid.offset({b, row, column, c})] = 0;
    }
    if (hooks.between != nullptr && layer + 1 < g.layers) hooks.between(net);
  }
  std::vector<double> dst;
  for (const auto at : pixels) dst.push_back(net[blocks.grid.offset(at)]);
  return dst;
}

}  // namespace concord::backends::faulty
