// SPDX-License-Identifier: Apache-2.0
// AMD Zen 5: costs fitted by hand to whole layers of an EPYC 9005.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {

constinit const Target kZen5 = {
    .name = "zen5",
    .first = {.bytes = 48 << 10, .sets = 64, .ways = 12},
    .second = {.bytes = 1024 << 10, .sets = 1024, .ways = 16},
    .core = {.far_src = {6 << 20, 12 << 20}, .far_src_of_bands = {6 << 20, 6 << 20}},
    .tiles = kZen5Tiles,
    .blocks = blocks_of(48 << 10, 1024 << 10),
};

}  // namespace concord::optimized
