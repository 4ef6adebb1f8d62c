// SPDX-License-Identifier: Apache-2.0
// Winograd's F(m x m, r x r) as libraries compute it, to measure the judge by.
#ifndef CONCORD_CONFORMANCE_POWER_SIMULATED_WINOGRAD_H_
#define CONCORD_CONFORMANCE_POWER_SIMULATED_WINOGRAD_H_

#include <array>
#include <vector>

#include "conformance/power/simulated_arithmetic.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// The transforms of F(m, r) for kernels of r taps.
/// Shapes  G [n][r], B [n][n], A [m][n], with n = m + r - 1
struct WinogradTile {
  Extent m = 0, taps = 3;
  std::vector<std::vector<double>> G{}, B{}, A{};
  Extent n() const { return m + taps - 1; }
};
/// By Toom and Cook's construction with the points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity, as many
/// as are needed. Shapes: 3 <= m + taps - 1 <= 8
WinogradTile winograd_tile(Extent m, Extent taps = 3);
/// All of at least two outputs and two taps whose extent is at most 8.
std::vector<WinogradTile> winograd_tiles();

/// The m x m outputs of one tile. Every operation rounds to `accumulator`; what is multiplied
/// element by element is first rounded as `input` says.
/// Shapes  src [channels][n * n], weights [channels][r * r], both row-major
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
