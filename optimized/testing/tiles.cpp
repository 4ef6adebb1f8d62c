// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/tiles.h"

#include "optimized/runtime/kernel_table.h"

namespace concord::optimized::testing {

void for_each_tile(
    const std::function<void(const TileFamily& family, int vectors, int pixels)>& check) {
  for (const KernelRow& row : kernel_rows()) {
    const auto* family = std::get_if<const TileFamily* (*)()>(&row.family);
    if (family == nullptr || !is_supported(row.needs)) continue;
    for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
      for (int pixels = 1; pixels <= (*family)()->max_pixels[vectors]; ++pixels) {
        check(*(*family)(), vectors, pixels);
      }
    }
  }
}

}  // namespace concord::optimized::testing
