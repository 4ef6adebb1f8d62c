// SPDX-License-Identifier: Apache-2.0
// AMD Zen 3, and processors before it whose cores have the same caches: half the second level of
// Zen 4. The costs are those of Zen 5, not fitted. Measured on an EPYC 7003: depthwise layers whose
// src is prefetched take up to two thirds more time at 4 MiB, and from 6 MiB on mostly less; bands
// of stride 1 gain from 4 MiB on, and of stride 2 lose up to 7. Rows of src may take three eighths
// of the second level with all their channels: in two parts, large layers take up to a half longer.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {
namespace {

constexpr Blocks blocks() {
  Blocks blocks = blocks_of(32 << 10, 512 << 10);
  blocks.kept_dst = blocks.kept_groups = 128 << 10;  // as x86_avx2, a quarter
  blocks.near_rows = 192 << 10;
  return blocks;
}

}  // namespace

constinit const Target kZen3 = {
    .name = "zen3",
    .first = {.bytes = 32 << 10, .sets = 64, .ways = 8},
    .second = {.bytes = 512 << 10, .sets = 1024, .ways = 8},
    .core = {.far_src = {6 << 20, 6 << 20}, .far_src_of_bands = {4 << 20, 8 << 20}},
    .tiles = kZen5Tiles,
    .blocks = blocks(),
};

}  // namespace concord::optimized
