// SPDX-License-Identifier: Apache-2.0
// The formulas of reference/ against every golden vector: numbers that we did not compute.
#include "conformance/catalog/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/judge/golden_check.h"

namespace concord::conformance {
namespace {

const std::vector<Case>& golden() {
  static const std::vector<Case> kCases = golden_cases(CONCORD_VECTORS_DIRECTORY).value();
  return kCases;
}

TEST(Golden, TheReferenceAgreesWithEveryVector) {
  for (const Case& each : golden()) {
    const Finding finding = check_recorded(each).finding;
    EXPECT_TRUE(finding.passed()) << each.id << ": " << print(each.problem) << "\nelement "
                                  << finding.worst->index << " got " << finding.worst->got
                                  << " want " << finding.worst->want;
    EXPECT_FALSE(finding.vacuous) << each.id;
  }
}

// No system has been recorded in f64 yet.
TEST(Golden, IdsAreUniqueAndEveryOperationIsThereInEveryOtherDtype) {
  std::set<std::string> ids;
  std::set<std::pair<Operation, Dtype>> pairs;
  for (const Case& each : golden()) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    pairs.emplace(each.problem.operation(), each.problem.dtype);
  }
  for (const Operation operation : kOperations) {
    // No system has a chain as an operation.
    if (has_diff_dst(operation) || operation == Operation::kAtrousChain ||
        operation == Operation::kContinuousChain) {
      continue;
    }
    for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
      EXPECT_EQ(pairs.count({operation, dtype}), 1U)
          << to_string(operation) << ' ' << to_string(dtype);
    }
  }
}

TEST(Golden, AFolderWithoutSetsIsRefusedByName) {
  const auto none = golden_cases("no/such/folder");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.why().detail, testing::HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace concord::conformance
