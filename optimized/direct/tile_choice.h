// SPDX-License-Identifier: Apache-2.0
// Which register tiles compute a shape fastest, by a model of a core.
#ifndef CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_
#define CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_

#include "optimized/direct/plan.h"

namespace concord::optimized {

/// Sets the vectors and panels of `tiling`, and the segments of a row. A kernel of one row has all
/// of its taps along a row of outputs, which is cut wherever the taps change in the padding; the
/// outputs of a column read the same taps. Where that is faster, the last two axes of the view are
/// exchanged: its rows are columns then.
void choose_tile(const Target& target, Tiling* tiling);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DIRECT_TILE_CHOICE_H_
