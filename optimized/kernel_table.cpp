// SPDX-License-Identifier: Apache-2.0
#include "optimized/kernel_table.h"

namespace concord::optimized {

#define CONCORD_TILES(isa, function) const TileFamily* function();
#include "optimized/kernels/kernels.inc"
#undef CONCORD_TILES

namespace {

struct TileRow {
  Isa isa;
  const TileFamily* (*family)();
};

constexpr TileRow kTileRows[] = {
#define CONCORD_TILES(isa, function) {Isa::isa, function},
#include "optimized/kernels/kernels.inc"
#undef CONCORD_TILES
};

}  // namespace

const TileFamily& tiles_for(Isa isa) {
  CONCORD_CHECK(is_supported(isa)) << to_string(isa);
  for (const TileRow& row : kTileRows) {
    if (row.isa == isa) return *row.family();
  }
  CONCORD_CHECK(false) << "no tiles for " << to_string(isa);
  return *kTileRows[0].family();
}

}  // namespace concord::optimized
