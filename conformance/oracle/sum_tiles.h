// SPDX-License-Identifier: Apache-2.0
// The sums of an evaluation: which tile a kernel gets, and where its results go.
#ifndef CONCORD_CONFORMANCE_ORACLE_SUM_TILES_H_
#define CONCORD_CONFORMANCE_ORACLE_SUM_TILES_H_

#include <span>

#include "conformance/oracle/padded.h"
#include "conformance/oracle/tile.h"
#include "reference/discrete.h"

namespace concord::conformance {

/// True if vectors hold channels, false if they hold outputs of one row: where a group has not
/// enough channels.
template <class Number>
bool is_by_channel(const reference::Geometry& g, const TileKernel<Number>& kernel) {
  return g.OCG() >= kernel.width || g.OCG() > g.O[reference::kWidth];
}

/// Adds each output's terms one after another, in the order of the taps of `src`, from the bias on.
/// Shapes  `src` by pad() if is_by_channel(), else by pad_by_phase(); weights and bias as
///         reference::evaluate_discrete()
/// Numeric sums are kept in Number. Without `magnitudes` the result has none
template <class Number>
reference::Oracle sum_tiles(const reference::Geometry& geometry, const Padded<Number>& src,
                            std::span<const double> weights, std::span<const double> bias,
                            const TileKernel<Number>& kernel, bool magnitudes, int threads);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ORACLE_SUM_TILES_H_
