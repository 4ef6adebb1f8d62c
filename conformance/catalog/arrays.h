// SPDX-License-Identifier: Apache-2.0
// The covering arrays of the suites. They are always the same, and finding them takes longer than
// all else in a catalog: they are found once, when Concord is built, and embedded as text.
#ifndef CONCORD_CONFORMANCE_CATALOG_ARRAYS_H_
#define CONCORD_CONFORMANCE_CATALOG_ARRAYS_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalog/covering.h"

namespace concord::conformance {

struct CoveringArray {
  /// "pairs" and "triples" of attribute_model(), "plain" of plain_model(); of each FormModel its
  /// name before "_pairs" and "_triples". Triples hold those that the pairs' rows do not.
  std::string name;
  std::vector<Row> rows;
};

/// Finds all of them.
std::vector<CoveringArray> find_arrays();

/// A line "NAME:" for each, and a line for each of its rows, a letter for each level.
std::string print_arrays(const std::vector<CoveringArray>& arrays);
/// What print_arrays() has printed.
std::vector<CoveringArray> parse_arrays(std::string_view text);

/// The rows of an embedded one.
const std::vector<Row>& array_rows(std::string_view name);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_ARRAYS_H_
