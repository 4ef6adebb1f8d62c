// SPDX-License-Identifier: Apache-2.0
// The table of kernels: which families exist, for which instruction set.
#ifndef CONCORD_OPTIMIZED_KERNEL_TABLE_H_
#define CONCORD_OPTIMIZED_KERNEL_TABLE_H_

#include "optimized/isa.h"
#include "optimized/kernels/grouped.h"
#include "optimized/kernels/kernel.h"
#include "optimized/kernels/moves.h"
#include "optimized/kernels/winograd.h"

namespace concord::optimized {

/// The register tiles for `isa`, which is_supported() here.
const TileFamily& tiles_for(Isa isa);
/// The kernels for narrow groups, likewise.
const GroupedFamily& groups_for(Isa isa);
/// The moves between layouts and types, likewise.
const MoveFamily& moves_for(Isa isa);
/// Winograd's transforms, likewise.
const WinogradFamily& winograd_for(Isa isa);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_KERNEL_TABLE_H_
