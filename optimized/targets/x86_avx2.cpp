// SPDX-License-Identifier: Apache-2.0
// Any x86-64 processor without AVX-512, or if that is not allowed. Caches are those of most: AMD's
// up to Zen 4, Intel's up to Skylake. The costs are those of Zen 5, not fitted. Blocks were
// measured with AVX2 on Zen 4: pointwise layers of 16 to 64 input channels take up to a tenth less
// time if a task has outputs of a quarter of the second level than with a sixteenth, since calls
// are longer. So was what src comes from far: prefetched, it takes depthwise layers up to two
// fifths more time below 3 MiB, and mostly a tenth to a half less from 3 or 4 MiB on.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {
namespace {

constexpr Blocks blocks() {
  Blocks blocks = blocks_of(32 << 10, 1024 << 10);
  blocks.kept_dst = blocks.kept_groups = 256 << 10;
  return blocks;
}

}  // namespace

constinit const Target kX86Avx2 = {
    .name = "x86_avx2",
    .first = {.bytes = 32 << 10, .sets = 64, .ways = 8},
    .second = {.bytes = 1024 << 10, .sets = 2048, .ways = 8},
    .core = {.far_src = {3 << 20, 4 << 20}, .far_src_of_bands = {4 << 20, 3 << 20}},
    .tiles = kZen5Tiles,
    .blocks = blocks(),
};

}  // namespace concord::optimized
