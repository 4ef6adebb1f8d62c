// SPDX-License-Identifier: Apache-2.0
// A backend that accepts a problem which breaks its specification has failed, whichever rule of
// which operation it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/catalog/listed.h"
#include "conformance/run/examine.h"
#include "conformance/run/judge_query.h"
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

QueryReply answering(concord_status status, Extents dst = {}) {
  QueryReply reply;
  reply.status = status;
  reply.dst_dims = std::move(dst);
  return reply;
}

// The oneDNN Graph's document names depth, height and width.
TEST(Open, AConvolutionOfFourSpatialAxesIsNotJudgedWhoeverServesOrRefusesIt) {
  const Problem problem = parse(
                              "Convolution f32 src=1x2x3x4x5x6 weights=3x2x1x1x1x1 "
                              "data_format=NCX weights_format=OIX")
                              .value();
  const auto open = reference::open_question(problem);
  ASSERT_TRUE(open);
  for (const concord_status status : {CONCORD_OK, CONCORD_INVALID}) {
    const CaseResult result = judge_open(answering(status, {1, 3, 3, 4, 5, 6}), *open);
    EXPECT_EQ(result.verdict, Verdict::kVacuous) << status;
    EXPECT_THAT(result.reason, testing::HasSubstr("4 spatial axes"));
  }
  EXPECT_EQ(judge_open(answering(CONCORD_UNSUPPORTED), *open).verdict, Verdict::kDeclined);
  EXPECT_EQ(judge_open(answering(CONCORD_FAULT), *open).verdict, Verdict::kFail);

  Host host({.text = "accepting", .path = TEST_ACCEPTING}, {.worker_program = TEST_WORKER});
  Case source;
  source.problem = problem;
  PreparedCase prepared(source);
  EXPECT_EQ(examine(prepared, host, {}).verdict, Verdict::kVacuous);
}

// The document of Convolution-1 sets no bound, the systems refuse more than three.
TEST(Open, OnlyAsImplementedMayAConvolution1OfFourSpatialAxesBeRefused) {
  const std::string line =
      "Convolution1 f32 src=1x3x4x5x6x2 weights=1x1x1x1x2x3 data_format=NXC "
      "filter_format=XIO";
  for (const char* const reading : {"", " reading=documented"}) {
    const Problem problem = parse(line + reading).value();
    const auto resolved = reference::resolve(problem);
    ASSERT_TRUE(resolved) << resolved.why().detail;
    const auto may_refuse = reference::may_be_refused(problem);
    const bool implemented = problem.reading == Reading::kImplemented;
    EXPECT_EQ(may_refuse.has_value(), implemented);
    const auto refused = judge_query(answering(CONCORD_INVALID), resolved->dst, may_refuse);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->verdict, implemented ? Verdict::kDeclined : Verdict::kFail);
    EXPECT_FALSE(judge_query(answering(CONCORD_OK, {1, 3, 4, 5, 6, 3}), resolved->dst, may_refuse));
    const auto wrong =
        judge_query(answering(CONCORD_OK, {1, 3, 4, 5, 6, 2}), resolved->dst, may_refuse);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->verdict, Verdict::kFail);
  }
  const Problem three = parse(
                            "Convolution1 f32 src=1x3x4x5x2 weights=1x1x1x2x3 "
                            "data_format=NXC filter_format=XIO")
                            .value();
  EXPECT_FALSE(reference::may_be_refused(three));
}

}  // namespace
}  // namespace concord::conformance
