// SPDX-License-Identifier: Apache-2.0
// What the families draw whose cases are too many to combine.
#ifndef CONCORD_CONFORMANCE_CATALOG_DRAWS_H_
#define CONCORD_CONFORMANCE_CATALOG_DRAWS_H_

#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

#include "conformance/case/seed.h"
#include "conformance/catalog/memory.h"

namespace concord::conformance {

template <class T, std::size_t Count>
T one_of(const T (&values)[Count], Random& random) {
  return values[random.below(Count)];
}

/// A number from `least` to `most`.
inline Extent between(Extent least, Extent most, Random& random) {
  return least + static_cast<Extent>(random.below(static_cast<std::size_t>(most - least) + 1));
}

/// One tensor in three has a gap after the elements of one axis.
inline std::optional<Tensor> maybe_with_gap(const Extents& dims, Random& random) {
  if (random.below(3) > 0) return std::nullopt;
  std::vector<std::size_t> order(dims.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return in_order(dims, order, Gap{random.below(dims.size()), one_of<Extent>({1, 3, 16}, random)});
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_DRAWS_H_
