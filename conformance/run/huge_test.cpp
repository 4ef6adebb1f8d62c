// SPDX-License-Identifier: Apache-2.0
// Tensors that span more than 4 GiB, by backends that are right and by those whose offsets are too
// narrow. suite huge has more of them, and larger ones.
#include "conformance/run/huge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/run/backend_spec.h"
#include "conformance/run/room.h"

namespace concord::conformance {
namespace {

// All tensors far apart, but bias: an offset of src, of weights and of dst is beyond 32 bits.
constexpr const char* kFar =
    "Convolution f32 src=2x3x5x6:8589934621x2147483659x37x5 "
    "weights=4x3x3x2:4294967311x1073741827x2x1 bias=4 "
    "dst=2x4x3x5:6442451111x2147483659x33x6 data_format=NCX weights_format=OIX";
// Dense: 2^32 elements of src and 24 outputs, by strides.
constexpr const char* kDense =
    "Convolution f16 src=1x2x46341x46341 weights=3x2x3x3 strides=15446,23169 bias=3 "
    "data_format=NCX weights_format=OIX";

CaseResult judged(const std::string& backend, const char* line, Fill fill = Fill::kIntegers) {
  const auto spec = find_backend(backend, TEST_PLUGINS);
  EXPECT_TRUE(spec) << backend;
  Host host(*spec, {.worker_program = TEST_WORKER});
  const Case source{.id = "huge", .problem = *parse(line), .fill = fill, .seed = 3};
  PreparedCase prepared(source);
  return examine(prepared, host, {});
}

TEST(Huge, IsWhatSpansMoreThanASlot) {
  for (const auto& [line, huge] : {std::pair{kFar, true}, {kDense, true}}) {
    Problem problem = *parse(line);
    problem.dst = reference::resolve(problem)->dst;
    EXPECT_EQ(is_huge(problem), huge) << line;
  }
  Problem small =
      *parse("Convolution f32 src=1x3x5 weights=3x3x2 data_format=NCX weights_format=OIX");
  small.dst = reference::resolve(small)->dst;
  EXPECT_FALSE(is_huge(small));
}

TEST(Huge, ABackendThatIsRightPasses) {
  for (const char* line : {kFar, kDense}) {
    const CaseResult result = judged("faulty:none", line);
    EXPECT_EQ(result.verdict, Verdict::kPass) << line << ": " << result.reason;
    EXPECT_EQ(result.tier, Tier::kExact);
    EXPECT_GT(result.elements, 20U);
  }
}

TEST(Huge, DataOfAnyKindAreJudgedWhereElementsAreFew) {
  for (const Fill fill : {Fill::kUniform, Fill::kSparse, Fill::kImpulse}) {
    const CaseResult result = judged("faulty:none", kFar, fill);
    EXPECT_EQ(result.verdict, Verdict::kPass) << to_string(fill) << ": " << result.reason;
  }
  const CaseResult dense = judged("faulty:none", kDense, Fill::kUniform);
  EXPECT_EQ(dense.verdict, Verdict::kHarnessError);
  EXPECT_THAT(dense.reason, testing::HasSubstr("discrete convolutions of integers"));
}

TEST(Huge, EachNarrowOffsetFails) {
  for (const char* bug :
       {"src_elements_int32", "src_elements_uint32", "src_bytes_int32", "src_bytes_uint32",
        "weights_elements_int32", "weights_elements_uint32", "weights_bytes_uint32",
        "dst_elements_int32", "dst_elements_uint32", "dst_bytes_uint32"}) {
    const CaseResult result = judged(std::string("faulty:") + bug, kFar);
    EXPECT_TRUE(is_failure(result.verdict)) << bug << ": " << result.reason;
  }
  for (const char* bug :
       {"src_elements_int32", "src_elements_uint32", "src_bytes_int32", "src_bytes_uint32"}) {
    const CaseResult result = judged(std::string("faulty:") + bug, kDense);
    EXPECT_TRUE(is_failure(result.verdict)) << bug << ": " << result.reason;
  }
}

TEST(Huge, OtherBugsFailToo) {
  EXPECT_EQ(judged("faulty:kernel_flip", kFar).verdict, Verdict::kFail);
  for (const char* bug : {"writes_gap", "writes_past_workspace"}) {
    const CaseResult stray = judged(std::string("faulty:") + bug, kFar);
    EXPECT_EQ(stray.verdict, Verdict::kFail) << bug << ": " << stray.reason;
    EXPECT_EQ(stray.tier, Tier::kSideEffects) << bug;
  }
}

TEST(Huge, ABackendThatWritesToItsInputsFails) {
  // An element, and a byte where there is none.
  for (const char* where : {"element", "between"}) {
    Host host({"rewriting", TEST_REWRITING, where}, {.worker_program = TEST_WORKER});
    const Case source{.id = "huge", .problem = *parse(kFar), .fill = Fill::kIntegers, .seed = 3};
    PreparedCase prepared(source);
    const CaseResult result = examine(prepared, host, {});
    EXPECT_EQ(result.verdict, Verdict::kFail) << where;
    EXPECT_EQ(result.tier, Tier::kSideEffects) << where;
    EXPECT_THAT(result.reason, testing::HasSubstr("2 bytes")) << where << ", twice executed";
  }
}

// Only a huge case may take many times the deadline.
TEST(Huge, TheDeadlineOfAnOrdinaryCaseAfterItIsTheUsualOne) {
  for (const auto& [deed, huge] :
       {std::pair{"stall", Verdict::kPass}, {"decline", Verdict::kFail}}) {
    Host host({"rewriting", TEST_REWRITING, deed},
              {.deadline = std::chrono::seconds(2), .worker_program = TEST_WORKER});
    for (const auto& [line, wanted] :
         {std::pair{kFar, huge},
          {"Convolution f32 src=1x1x9x5 weights=3x1x5x2 data_format=NCX weights_format=OIX",
           Verdict::kHang}}) {
      const Case source{.id = "any", .problem = *parse(line), .fill = Fill::kIntegers, .seed = 3};
      PreparedCase prepared(source);
      const CaseResult result = examine(prepared, host, {});
      EXPECT_EQ(result.verdict, wanted) << deed << ": " << result.reason;
      if (wanted == Verdict::kHang) {
        EXPECT_THAT(result.reason, testing::HasSubstr("within 2000 ms")) << deed;
      }
    }
  }
}

TEST(Huge, WhatNoMemoryHoldsIsNotJudged) {
  const CaseResult result =
      judged("faulty:none",
             "Convolution f32 src=1x1x99999999999 weights=2x1x1 strides=99999999999 "
             "data_format=NCX weights_format=OIX");
  EXPECT_EQ(result.verdict, Verdict::kHarnessError);
  EXPECT_THAT(result.reason, testing::HasSubstr("src=1x1x99999999999 spans 399999999996 bytes"));
}

TEST(Huge, AnOrdinaryCaseIsJudgedAfterIt) {
  const auto spec = find_backend("faulty:none", TEST_PLUGINS);
  Host host(*spec, {.worker_program = TEST_WORKER});
  for (const char* line : {kFar, "Convolution f32 src=1x9x5 weights=3x5x2", kFar}) {
    const Case source{.id = "huge", .problem = *parse(line), .fill = Fill::kIntegers, .seed = 7};
    PreparedCase prepared(source);
    const CaseResult result = examine(prepared, host, {});
    EXPECT_EQ(result.verdict, Verdict::kPass) << line << ": " << result.reason;
  }
}

}  // namespace
}  // namespace concord::conformance
