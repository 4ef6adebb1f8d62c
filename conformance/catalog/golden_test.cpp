// SPDX-License-Identifier: Apache-2.0
// The formulas of reference/ against every golden vector: numbers that we did not compute.
#include "conformance/catalog/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/judge.h"
#include "conformance/judge/arithmetic.h"
#include "reference/discrete.h"

namespace concord::conformance {
namespace {

const std::vector<Case>& golden() {
  static const std::vector<Case> kCases = golden_cases(CONCORD_VECTORS_DIRECTORY).value();
  return kCases;
}

// The recorded dst, judged as if its producer were a backend.
Finding judge_producer(const Case& each, const reference::Geometry& geometry) {
  const Recorded& r = *each.recorded;
  const auto oracle = evaluate_discrete(each.problem, geometry, r.src, r.weights, r.bias);
  const Dtype dtype = each.problem.dtype;
  if (r.exactness == vectors::Exactness::kArithmetic) {
    return judge_interval(dtype, parse_arithmetic(r.arithmetic).value(), geometry.products(), r.dst,
                          oracle.value, oracle.magnitude);
  }
  if (r.exactness == vectors::Exactness::kExact) {
    EXPECT_EQ(oracle.value, r.dst) << each.id;
  }
  return judge_exact(dtype, parse_arithmetic("strict").value(), r.dst, oracle.value);
}

TEST(Golden, TheReferenceAgreesWithEveryVector) {
  for (const Case& each : golden()) {
    const auto geometry = reference::resolve_discrete(each.problem);
    ASSERT_TRUE(geometry) << each.id;
    const Finding finding = judge_producer(each, *geometry);
    EXPECT_TRUE(finding.passed()) << each.id << ": " << print(each.problem) << "\nelement "
                                  << finding.worst->index << " got " << finding.worst->got
                                  << " want " << finding.worst->want;
    EXPECT_FALSE(finding.vacuous) << each.id;
  }
}

TEST(Golden, IdsAreUniqueAndEveryDtypeIsThere) {
  std::set<std::string> ids;
  std::set<Dtype> dtypes;
  for (const Case& each : golden()) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    dtypes.insert(each.problem.dtype);
  }
  EXPECT_EQ(dtypes.size(), std::size(kDtypes));
}

TEST(Golden, AFolderWithoutSetsIsRefusedByName) {
  const auto none = golden_cases("no/such/folder");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.why().detail, testing::HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace concord::conformance
