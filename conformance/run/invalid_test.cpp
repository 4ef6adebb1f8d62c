// SPDX-License-Identifier: Apache-2.0
// A backend that accepts a problem which breaks its specification has failed, whichever rule of
// which operation it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/catalog/listed.h"
#include "conformance/run/examine.h"

namespace concord::conformance {
namespace {

TEST(Invalid, ProblemsOfTheCatalogThatAreAcceptedAreFailures) {
  Host host({.text = "accepting", .path = TEST_ACCEPTING}, {.worker_program = TEST_WORKER});
  std::set<Operation> operations;
  for (const auto& [name, problem] : listed("invalid")) {
    Case source;
    source.id = name;
    source.problem = problem;
    PreparedCase prepared(source);
    const CaseResult result = examine(prepared, host, {});
    EXPECT_EQ(result.verdict, Verdict::kFail) << name << ": " << result.reason;
    EXPECT_EQ(result.tier, Tier::kStatus) << name;
    EXPECT_THAT(result.reason, testing::HasSubstr("answered CONCORD_OK to a problem that is inv"));
    operations.insert(problem.operation());
  }
  EXPECT_EQ(operations.size(), std::size(kOperations));
}

}  // namespace
}  // namespace concord::conformance
