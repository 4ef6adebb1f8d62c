// SPDX-License-Identifier: Apache-2.0
// The costs that were fitted to a Zen 5. Families that nobody has fitted yet use them, too.
#ifndef CONCORD_OPTIMIZED_TARGETS_ZEN5_TILES_H_
#define CONCORD_OPTIMIZED_TARGETS_ZEN5_TILES_H_

#include "optimized/targets/target.h"

namespace concord::optimized {

inline constexpr TileCosts kZen5Tiles = {.pixel_byte = 0.005,
                                         .kept_byte = 0.001,
                                         .far_byte = 0.005,
                                         .loop = 0.3,
                                         .reload = 0.1,
                                         .crowded_reload = 1,
                                         .tile = 20,
                                         .store = 1,
                                         .store_of_part = 5,
                                         .turning = 0.97,
                                         .pixels_of_a_set = 9};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_TARGETS_ZEN5_TILES_H_
