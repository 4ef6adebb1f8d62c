// SPDX-License-Identifier: Apache-2.0
// Intel's processors with AVX-512 and 2 MiB of second level, from Sapphire Rapids on. Costs are
// those of Zen 5: fitted ones choose tiles that take 0.6 % longer, of drawn layers that were not
// fitted to. Pointwise layers of up to 128 input channels take 2 % less time if a task has outputs
// of a quarter of the second level than with a sixteenth, as with AVX2. 14 pixels of one set of the
// first level, whose 12 ways hold fewer, still take no more time than smaller tiles; 28 take half
// as long again. Pointwise layers of 192 to 384 channels with channels first take a tenth less time
// from panels of pixels in the second level than transposed; those of 512 as much. In f32
// depthwise bands of 8 rows and two vectors mostly take 2 to 35 % less time than others, wherever
// pixels lie in the first level, and 3x3 patches with stride 2 a quarter less than bands of four
// vectors. Depthwise layers from memory take a tenth to a half longer if they are prefetched. Stems
// whose dst goes to memory take up to twice as long by tiles of one vector as by tiles of four.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {
namespace {

constexpr Blocks blocks() {
  Blocks blocks = blocks_of(48 << 10, 2048 << 10);
  blocks.kept_dst = blocks.kept_groups = 512 << 10;
  blocks.near_pixels = 98 << 10;
  blocks.far_pixels = 144 << 10;
  return blocks;
}

constexpr TileCosts tiles() {
  TileCosts tiles = kZen5Tiles;
  tiles.pixels_of_a_set = 14;
  return tiles;
}

}  // namespace

constinit const Target kSapphireRapids = {
    .name = "sapphire_rapids",
    .first = {.bytes = 48 << 10, .sets = 64, .ways = 12},
    .second = {.bytes = 2048 << 10, .sets = 2048, .ways = 16},
    .core = {.whole_stores = true,
             .far_piece = 14,
             .far_src = kNeverFar,
             .far_src_of_bands = kNeverFar,
             .band_vectors = 2,
             .band_rows = 8},
    .tiles = tiles(),
    .blocks = blocks(),
};

}  // namespace concord::optimized
