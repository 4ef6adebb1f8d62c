// SPDX-License-Identifier: Apache-2.0
// What tests of covering rows compare the search with: every possible row.
#ifndef CONCORD_CONFORMANCE_CATALOG_SMALL_MODELS_H_
#define CONCORD_CONFORMANCE_CATALOG_SMALL_MODELS_H_

#include <utility>
#include <vector>

#include "conformance/catalog/covering.h"

namespace concord::conformance {

/// Every complete row, allowed ones only: the definition that the search has to agree with.
inline std::vector<Row> every_row(const FactorModel& model) {
  std::vector<Row> rows = {{}};
  for (const int levels : model.levels) {
    std::vector<Row> longer;
    for (const Row& row : rows) {
      for (int level = 0; level < levels; ++level) {
        longer.push_back(row);
        longer.back().push_back(level);
      }
    }
    rows = std::move(longer);
  }
  std::erase_if(rows, [&](const Row& row) { return !model.allowed(row); });
  return rows;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_SMALL_MODELS_H_
