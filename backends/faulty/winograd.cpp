// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/winograd.h"

#include <algorithm>

#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

constexpr Extent kTile = 4;  // outputs of one tile
using Points = std::array<float, 6>;

// B^T d of six inputs.
Points transform_input(const Points& d) {
  return {4 * d[0] - 5 * d[2] + d[4],        -4 * d[1] - 4 * d[2] + d[3] + d[4],
          4 * d[1] - 4 * d[2] - d[3] + d[4], -2 * d[1] - d[2] + 2 * d[3] + d[4],
          2 * d[1] - d[2] - 2 * d[3] + d[4], 4 * d[1] - 5 * d[3] + d[5]};
}

// G g of three weights.
Points transform_weights(float g0, float g1, float g2) {
  return {g0 / 4,
          (-g0 - g1 - g2) / 6,
          (-g0 + g1 - g2) / 6,
          g0 / 24 + g1 / 12 + g2 / 6,
          g0 / 24 - g1 / 12 + g2 / 6,
          g2};
}

// A^T m: the four outputs. `eight` is the constant of A's last column.
std::array<float, kTile> transform_output(const Points& m, float eight) {
  return {m[0] + m[1] + m[2] + m[3] + m[4], m[1] - m[2] + 2 * m[3] - 2 * m[4],
          m[1] + m[2] + 4 * m[3] + 4 * m[4], m[1] - m[2] + eight * m[3] - eight * m[4] + m[5]};
}

// The six inputs from column `left` on; zeros outside src.
Points inputs_at(const Run& run, const At& at, Extent channel, const Spatial& k, Extent left) {
  const Nest& nest = run.nest;
  Points d{};
  const Extent id = at.o[0] * nest.S[0] + k[0] * nest.D[0] - nest.P_begin[0];
  const Extent ih = at.o[1] * nest.S[1] + k[1] * nest.D[1] - nest.P_begin[1];
  if (id < 0 || id >= nest.I[0] || ih < 0 || ih >= nest.I[1]) return d;
  for (Extent column = 0; column < 6; ++column) {
    const Extent iw = left + column;
    if (iw < 0 || iw >= nest.I[2]) continue;
    d[static_cast<std::size_t>(column)] = run.src[src_place(nest, at.n, channel, {id, ih, iw})];
  }
  return d;
}

// The sums, in the transformed domain, of the tile that begins at `at`.
Points sums_at(const Run& run, const At& at) {
  const Nest& nest = run.nest;
  Points m{};
  for (const auto [ic, kd, kh] : Grid<3>{{nest.ICG(), nest.K[0], nest.K[1]}}) {
    const Extent channel = at.oc / nest.OCG() * nest.ICG() + ic;
    const float* g = &run.weights[weights_place(nest, at.oc, ic, {kd, kh, 0})];
    const Points u = transform_weights(g[0], g[1], g[2]);
    const Points v =
        transform_input(inputs_at(run, at, channel, {kd, kh, 0}, at.o[2] - nest.P_begin[2]));
    for (std::size_t i = 0; i < m.size(); ++i) m[i] += u[i] * v[i];
  }
  return m;
}

}  // namespace

void fill_by_winograd(Run& run, float eight) {
  const Nest& nest = run.nest;
  if (nest.K[2] != 3 || nest.S[2] != 1 || nest.D[2] != 1) return;
  const Extent tiles = (nest.O[2] + kTile - 1) / kTile;
  for (const auto [n, oc, od, oh, tile] : Grid<5>{{nest.N, nest.OC, nest.O[0], nest.O[1], tiles}}) {
    const At first{n, oc, {od, oh, tile * kTile}};
    const auto outputs = transform_output(sums_at(run, first), eight);
    const float bias = run.bias.empty() ? 0.0F : run.bias[static_cast<std::size_t>(oc)];
    for (Extent i = 0; i < std::min(kTile, nest.O[2] - first.o[2]); ++i) {
      const At at{n, oc, {od, oh, first.o[2] + i}};
      run.dst[dst_place(nest, at)] = outputs[static_cast<std::size_t>(i)] + bias;
    }
  }
}

}  // namespace concord::backends::faulty
