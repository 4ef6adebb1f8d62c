// SPDX-License-Identifier: Apache-2.0
// Intel's processors with AMX. Costs and shares are those of Zen 5, not fitted yet.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {

constinit const Target kSapphireRapids = {
    .name = "sapphire_rapids",
    .first = {.bytes = 48 << 10, .sets = 64, .ways = 12},
    .second = {.bytes = 2048 << 10, .sets = 2048, .ways = 16},
    .tiles = kZen5Tiles,
    .blocks = blocks_of(48 << 10, 2048 << 10),
};

}  // namespace concord::optimized
