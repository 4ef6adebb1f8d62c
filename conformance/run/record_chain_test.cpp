// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/record_chain.h"

#include <gtest/gtest.h>

#include <string>

namespace concord::conformance {
namespace {

TEST(RecordChain, BeginsWithTheHashOfTheFirstRecord) {
  EXPECT_EQ(RecordChain().line_of("abc"), "ba7816bf8f01 abc");  // FIPS 180-4's example
}

TEST(RecordChain, GivesTheSameRecordAnotherLineAtAnotherPlace) {
  RecordChain chain;
  const std::string first = chain.line_of("abc");
  EXPECT_NE(chain.line_of("abc"), first);
}

TEST(RecordChain, StaysWhereALineDoesNotFollow) {
  RecordChain writer, reader;
  const std::string one = writer.line_of("one"), two = writer.line_of("two");
  EXPECT_EQ(reader.record_of(two), std::nullopt);
  EXPECT_EQ(reader.record_of(one), "one");
  EXPECT_EQ(reader.record_of(one), std::nullopt);
  for (const char* line : {"", "one", "0123456789ab", "0123456789abcone"}) {
    EXPECT_EQ(reader.record_of(line), std::nullopt) << line;
  }
  EXPECT_EQ(reader.record_of(two), "two");
}

}  // namespace
}  // namespace concord::conformance
