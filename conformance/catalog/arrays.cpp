// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/arrays.h"

#include <algorithm>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/coverage.h"
#include "conformance/catalog/text_file.h"
#include "spec/check.h"

namespace concord::conformance {

const std::vector<Row>& array_rows(std::string_view name) {
  static const std::vector<CoveringArray> kArrays = parse_arrays(text_file("arrays").text);
  const auto found = std::find_if(kArrays.begin(), kArrays.end(),
                                  [&](const CoveringArray& array) { return array.name == name; });
  CONCORD_CHECK(found != kArrays.end()) << "no covering array " << name;
  return found->rows;
}

Coverage possible_coverage() {
  static const Coverage kPossible = [] {
    std::vector<Row> rows = array_rows("pairs");
    const std::vector<Row>& triples = array_rows("triples");
    rows.insert(rows.end(), triples.begin(), triples.end());
    return count_covered(attribute_model(), rows);
  }();
  return kPossible;
}

}  // namespace concord::conformance
