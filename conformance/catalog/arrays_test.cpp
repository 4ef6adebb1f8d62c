// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/arrays.h"

#include <gtest/gtest.h>

#include "conformance/catalog/coverage.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

TEST(Arrays, AreReadAsTheyArePrinted) {
  const std::vector<CoveringArray> arrays{{"pairs", {{0, 7, 56}, {1, 0, 2}}}, {"none", {}}};
  const auto again = parse_arrays(print_arrays(arrays));
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].name, "pairs");
  EXPECT_EQ(again[0].rows, arrays[0].rows);
  EXPECT_EQ(again[1].name, "none");
  EXPECT_TRUE(again[1].rows.empty());
}

TEST(Arrays, EmbeddedAreThoseOfTheModels) {
  const FormModel blocks = blocks_model();
  const auto pairs = covering_rows(blocks.model, 1);
  EXPECT_EQ(array_rows(std::string(blocks.name) + "_pairs"), pairs);
  EXPECT_EQ(array_rows(std::string(blocks.name) + "_triples"),
            rows_for_missing_triples(blocks.model, pairs, 1));
}

TEST(Arrays, OfTheAttributesHoldEveryTripleThatGoesTogether) {
  MissingTriples missing(attribute_model());
  for (const char* name : {"pairs", "triples"}) {
    for (const Row& row : array_rows(name)) missing.erase(row);
  }
  std::size_t impossible = 0;
  rows_for_missing_triples(attribute_model(), array_rows("pairs"), 1, &impossible);
  EXPECT_EQ(missing.size(), impossible);
}

}  // namespace
}  // namespace concord::conformance
