// SPDX-License-Identifier: Apache-2.0
#include "optimized/view.h"

#include <cstdint>

namespace concord::optimized {

Extent sum_of_products(std::initializer_list<std::pair<Extent, Extent>> terms) {
  std::uint64_t sum = 0;
  for (const auto& [a, b] : terms) {
    sum += static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  }
  return static_cast<Extent>(sum);
}

void use_staged_src(Shape* shape) {
  shape->src.channel = 1;
  shape->src.spatial[2] = shape->IC;
  shape->src.spatial[1] = sum_of_products({{shape->I[2], shape->src.spatial[2]}});
  shape->src.spatial[0] = sum_of_products({{shape->I[1], shape->src.spatial[1]}});
  shape->src.outer = sum_of_products({{shape->I[0], shape->src.spatial[0]}});
}

}  // namespace concord::optimized
