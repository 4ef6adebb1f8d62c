// SPDX-License-Identifier: Apache-2.0
// A backend that accepts a problem which breaks its specification has failed, whichever rule of
// which operation it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/catalog/listed.h"
#include "conformance/run/examine.h"
#include "conformance/run/judge_answer.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

TEST(Invalid, ProblemsOfTheCatalogThatAreAcceptedAreFailures) {
  Host host({.text = "accepting", .path = TEST_ACCEPTING}, {.worker_program = TEST_WORKER});
  std::set<Operation> operations;
  for (const Listed& each : listed("invalid")) {
    const auto& name = each.name;
    const auto& problem = each.problem;
    Case source;
    source.id = name;
    source.problem = problem;
    PreparedCase prepared(source);
    const CaseResult result = examine(prepared, host, {});
    operations.insert(problem.operation());
    // The plugin answers with the shape of src, which one line's operation makes.
    const auto question = reference::open_question(problem);
    if (question && question->dst_dims == problem.src.dims) {
      EXPECT_EQ(result.verdict, Verdict::kPass) << name;
      continue;
    }
    EXPECT_EQ(result.verdict, Verdict::kFail) << name << ": " << result.reason;
    const bool open = question.has_value();
    EXPECT_EQ(result.tier, open ? Tier::kShape : Tier::kStatus) << name;
    EXPECT_THAT(
        result.reason,
        testing::HasSubstr(open ? "or a refusal" : "answered CONCORD_OK to a problem that is inv"))
        << name;
  }
  EXPECT_EQ(operations.size(), std::size(kOperations));
}

CaseResult open_result(const char* line, concord_status status, Extents dst_dims = {}) {
  QueryReply reply;
  reply.status = status;
  reply.dst_dims = std::move(dst_dims);
  return judge_open(reply, reference::open_question(parse(line).value()).value());
}

// A backend that refuses and one that computes are both right, one with another shape is not.
TEST(Open, RefusingAndComputingAreBothRight) {
  for (const char* pads : {"auto_pad=same_upper", "auto_pad=same_lower", "auto_pad=valid"}) {
    const std::string line =
        std::string("Convolution f32 src=1x5x1 weights=1x1x1 pads_begin=-1 ") + pads;
    for (const auto& [status, want] : {std::pair{CONCORD_INVALID, Verdict::kPass},
                                       {CONCORD_OK, Verdict::kPass},
                                       {CONCORD_UNSUPPORTED, Verdict::kDeclined},
                                       {CONCORD_FAULT, Verdict::kFail}}) {
      EXPECT_EQ(open_result(line.c_str(), status, {1, 5, 1}).verdict, want) << line << status;
    }
    EXPECT_EQ(open_result(line.c_str(), CONCORD_OK, {1, 4, 1}).verdict, Verdict::kFail) << line;
  }
  const char* const stated = "Convolution f32 src=1x5x1 weights=3x1x1 dst=1x4x1";
  EXPECT_EQ(open_result(stated, CONCORD_OK, {1, 3, 1}).verdict, Verdict::kPass);
  EXPECT_EQ(open_result(stated, CONCORD_OK, {1, 4, 1}).verdict, Verdict::kFail);
}

TEST(Open, IsVacuousWhereNoShapeFollows) {
  const char* const empty = "Convolution f32 src=1x5x1 weights=0x1x1";
  for (const concord_status status : {CONCORD_OK, CONCORD_INVALID}) {
    const CaseResult result = open_result(empty, status, {1, 6, 1});
    EXPECT_EQ(result.verdict, Verdict::kVacuous);
    EXPECT_THAT(result.reason, testing::HasSubstr("not judged: the documents leave open"));
  }
}

}  // namespace
}  // namespace concord::conformance
