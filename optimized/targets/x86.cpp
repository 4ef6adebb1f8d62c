// SPDX-License-Identifier: Apache-2.0
// Any other x86-64 processor: the numbers of Zen 5, not fitted.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {

constinit const Target kX86 = {
    .name = "x86",
    .first = {.bytes = 48 << 10, .sets = 64, .ways = 12},
    .second = {.bytes = 1024 << 10, .sets = 1024, .ways = 16},
    .tiles = kZen5Tiles,
    .blocks = blocks_of(48 << 10, 1024 << 10),
};

}  // namespace concord::optimized
