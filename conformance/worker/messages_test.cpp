// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace concord::conformance {
namespace {

concord_answer answer_of_rank_1() {
  concord_answer answer{};
  answer.outputs[0].rank = 1;
  answer.outputs[0].dims[0] = 5;
  return answer;
}

TEST(Messages, LeaveOutWhatTheReaderTakesAnyway) {
  const Json message = to_message(CONCORD_OK, answer_of_rank_1());
  EXPECT_EQ(message, Json({{"status", CONCORD_OK}, {"dst_dims", {5}}}));
  const QueryReply reply = query_reply_from(message);
  EXPECT_EQ(reply.status, CONCORD_OK);
  EXPECT_EQ(reply.dst_dims, Extents{5});
  EXPECT_EQ(reply.reason + reply.adapter_part + reply.implementation, "");
  EXPECT_FALSE(reply.same_bits_any_threads || reply.bits_vary_by_run);
  const concord_arithmetic none{};
  EXPECT_EQ(std::memcmp(&reply.arithmetic, &none, sizeof none), 0);
}

TEST(Messages, CarryEachFieldOfAnAnswer) {
  concord_answer answer = answer_of_rank_1();
  answer.arithmetic = {1, 2, 3, 4, 5, 6, 7, 8, {9, 0}};
  answer.same_bits_any_threads = answer.bits_vary_by_run = 1;
  std::strcpy(answer.reason, "because");
  std::strcpy(answer.adapter_part, "the padding");
  std::strcpy(answer.implementation, "loops");
  const QueryReply reply = query_reply_from(from_line(to_line(to_message(CONCORD_OK, answer))));
  EXPECT_EQ(std::memcmp(&reply.arithmetic, &answer.arithmetic, sizeof reply.arithmetic), 0);
  EXPECT_TRUE(reply.same_bits_any_threads && reply.bits_vary_by_run);
  EXPECT_EQ(reply.reason, "because");
  EXPECT_EQ(reply.adapter_part, "the padding");
  EXPECT_EQ(reply.implementation, "loops");
}

TEST(Messages, TellOfAFlagThatIsNeither) {
  concord_answer answer = answer_of_rank_1();
  answer.bits_vary_by_run = 254;
  EXPECT_THAT(to_message(CONCORD_OK, answer).dump(),
              testing::HasSubstr("query says that bits_vary_by_run is 254; expected 0 or 1"));
  EXPECT_EQ(status_of(to_message(CONCORD_UNSUPPORTED, answer)), CONCORD_UNSUPPORTED);
  answer.bits_vary_by_run = 0;
  answer.same_bits_any_threads = -1;
  EXPECT_THAT(to_message(CONCORD_OK, answer).dump(),
              testing::HasSubstr("query says that same_bits_any_threads is -1; expected 0 or 1"));
}

TEST(Messages, TellAReservedFieldOfEitherPlace) {
  concord_answer answer = answer_of_rank_1();
  answer.arithmetic.reserved[1] = 3;
  EXPECT_EQ(query_reply_from(to_message(CONCORD_OK, answer)).arithmetic.reserved[0], 3);
}

TEST(Messages, RefuseAnArithmeticThatIsNoObject) {
  EXPECT_THROW(query_reply_from({{"status", 0}, {"arithmetic", "strict"}}), Json::exception);
}

}  // namespace
}  // namespace concord::conformance
