// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/tiles.h"

#include "optimized/runtime/kernel_table.h"
#include "optimized/testing/trial.h"

namespace concord::optimized::testing {

void for_each_tile(
    const std::function<void(const TileFamily& family, int vectors, int pixels)>& check) {
  for (const Isa isa : supported_isas()) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kBF16}) {
      const TileFamily& family = tiles_for(isa, dtype);
      for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
        for (int pixels = 1; pixels <= family.max_pixels[vectors]; ++pixels) {
          check(family, vectors, pixels);
        }
      }
    }
  }
}

}  // namespace concord::optimized::testing
