// SPDX-License-Identifier: Apache-2.0
#include "fuzz/picks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace concord::fuzz {

Extent pick(Extent least, Extent most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Extent>(least, most + 1));
}

bool one_in(Extent n) { return pick(1, n) == n; }

Extents pick_strides(const Extents& dims) {
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(pick(0, static_cast<Extent>(i) - 1))]);
  }
  Extents strides(dims.size());
  Extent step = pick(1, 3);
  for (const std::size_t axis : order) {
    strides[axis] = step;
    step = step * std::max<Extent>(dims[axis], 1) + pick(0, 2);
  }
  return strides;
}

}  // namespace concord::fuzz
