// SPDX-License-Identifier: Apache-2.0
// AMD Zen 4, which computes vectors of 64 bytes in halves. Measured with loops of single
// instructions on an EPYC 9004: one multiply-add a cycle of whole vectors, two of half ones, two
// broadcasts from memory. Costs are those of Zen 5, which adds two vectors a cycle, but for a tile
// and for what leaves out part of one: rows of 12 to 17 outputs with 15 taps take a tenth to a
// fifth longer than columns, which leave out nothing. What `concord_bench --fit FILE --random 200`
// fits predicts times better and chooses worse: on layers held out, choices take 1.023 of the best
// one's time, and 1.009 with these. A far panel: four layers of 24 to 144 input channels, whose
// time for a pixel grows by 23 to 31 cycles for each panel that it has. A far src: prefetched,
// depthwise layers of stride 1 take up to a tenth more time up to 3 MiB, but a third less where
// other guests use the last level, and of more MiB always. Of stride 2 they take up to two fifths
// more: patches up to 7 MiB, bands up to 5.
#include "optimized/targets/zen5_tiles.h"

namespace concord::optimized {
namespace {

constexpr TileCosts tile_costs() {
  TileCosts costs = kZen5Tiles;
  costs.tile *= 2;
  costs.part = 3;
  costs.pixels_of_a_set = 8;
  return costs;
}

// Pointwise NCX gains with panels of up to 512 KiB, the largest that were measured.
constexpr Blocks blocks() {
  Blocks blocks = blocks_of(32 << 10, 1024 << 10);
  blocks.near_pixels = blocks.far_pixels = 512 << 10;
  return blocks;
}

}  // namespace

constinit const Target kZen4 = {
    .name = "zen4",
    .first = {.bytes = 32 << 10, .sets = 64, .ways = 8},
    .second = {.bytes = 1024 << 10, .sets = 2048, .ways = 8},
    .core = {.multiply_adds = 1,
             .loads = 2,
             .half_vector = 0.5,
             .far_panel = 25,
             .far_src = {2 << 20, 7 << 20},
             .far_src_of_bands = {2 << 20, 5 << 20}},
    .tiles = tile_costs(),
    .blocks = blocks(),
};

}  // namespace concord::optimized
