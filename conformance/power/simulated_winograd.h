// SPDX-License-Identifier: Apache-2.0
// Winograd's F(m x m, 3 x 3) as libraries compute it, to measure the judge by.
#ifndef CONCORD_CONFORMANCE_POWER_SIMULATED_WINOGRAD_H_
#define CONCORD_CONFORMANCE_POWER_SIMULATED_WINOGRAD_H_

#include <array>
#include <vector>

#include "conformance/power/simulated_arithmetic.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// The transforms of F(m, 3).
/// Shapes  G [n][3], B [n][n], A [m][n], with n = m + 2
struct WinogradTile {
  Extent m = 0;
  std::vector<std::vector<double>> G{}, B{}, A{};
  Extent n() const { return m + 2; }
};
/// By Toom and Cook's construction with the points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity, as many
/// as are needed. Shapes: m is 2, 4 or 6
WinogradTile winograd_tile(Extent m);

/// The m x m outputs of one tile. Every operation rounds to `accumulator`; what is multiplied
/// element by element is first rounded as `input` says.
/// Shapes  src [channels][n * n], weights [channels][9], both row-major
std::vector<double> tile_outputs(const WinogradTile& tile,
                                 const std::vector<std::vector<double>>& src,
                                 const std::vector<std::vector<double>>& weights,
                                 const SimulatedAccumulator& accumulator,
                                 const SimulatedInput& input);

/// The same of a tile whose only element other than zero is a 1 at `place`, and whose
/// only weight other than zero is a 1 at `tap`.
std::vector<double> lone_outputs(const WinogradTile& tile, const std::array<Extent, 2>& place,
                                 Extent tap, const SimulatedAccumulator& accumulator,
                                 const SimulatedInput& input);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SIMULATED_WINOGRAD_H_
