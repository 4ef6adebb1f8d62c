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
  const Extent id =
      at.o[kDepth] * nest.S[kDepth] + k[kDepth] * nest.D[kDepth] - nest.P_begin[kDepth];
  const Extent ih =
      at.o[kHeight] * nest.S[kHeight] + k[kHeight] * nest.D[kHeight] - nest.P_begin[kHeight];
  if (id < 0 || id >= nest.I[kDepth] || ih < 0 || ih >= nest.I[kHeight]) return d;
  for (Extent column = 0; column < 6; ++column) {
    const Extent iw = left + column;
    if (iw < 0 || iw >= nest.I[kWidth]) continue;
    d[static_cast<std::size_t>(column)] =
        run.src[src_place(nest, at.n, channel, {0, 0, 0, id, ih, iw})];
  }
  return d;
}

// The sums, in the transformed domain, of the tile that begins at `at`.
Points sums_at(const Run& run, const At& at) {
  const Nest& nest = run.nest;
  Points m{};
  for (const auto [ic, kd, kh] : Grid<3>{{nest.ICG(), nest.K[kDepth], nest.K[kHeight]}}) {
    const Extent channel = at.oc / nest.OCG() * nest.ICG() + ic;
    const float* g = &run.weights[weights_place(nest, at.oc, ic, {0, 0, 0, kd, kh, 0})];
    const Points u = transform_weights(g[0], g[1], g[2]);
    const Points v = transform_input(
        inputs_at(run, at, channel, {0, 0, 0, kd, kh, 0}, at.o[kWidth] - nest.P_begin[kWidth]));
    for (std::size_t i = 0; i < m.size(); ++i) m[i] += u[i] * v[i];
  }
  return m;
}

}  // namespace

void fill_by_winograd(Run& run, float eight) {
  const Nest& nest = run.nest;
  if (nest.K[kWidth] != 3 || nest.S[kWidth] != 1 || nest.D[kWidth] != 1) return;
  for (std::size_t axis = 0; axis < kDepth; ++axis) {  // of at most three axes
    if (nest.I[axis] != 1 || nest.K[axis] != 1 || nest.O[axis] != 1) return;
  }
  const Extent tiles = (nest.O[kWidth] + kTile - 1) / kTile;
  for (const auto [n, oc, od, oh, tile] :
       Grid<5>{{nest.N, nest.OC, nest.O[kDepth], nest.O[kHeight], tiles}}) {
    const At first{n, oc, {0, 0, 0, od, oh, tile * kTile}};
    const auto outputs = transform_output(sums_at(run, first), eight);
    const float bias = run.bias.empty() ? 0.0F : run.bias[static_cast<std::size_t>(oc)];
    for (Extent i = 0; i < std::min(kTile, nest.O[kWidth] - first.o[kWidth]); ++i) {
      const At at{n, oc, {0, 0, 0, od, oh, first.o[kWidth] + i}};
      run.dst[dst_place(nest, at)] = outputs[static_cast<std::size_t>(i)] + bias;
    }
  }
}

}  // namespace concord::backends::faulty
