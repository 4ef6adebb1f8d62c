// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/visible.h"

#include <gtest/gtest.h>

namespace concord::conformance {
namespace {

TEST(Visible, LeavesPrintableTextOfAnyScriptAlone) {
  for (const char* text : {"", "3 of 8 elements", "größer als \u221E, \U0001F600", "a\\b"}) {
    EXPECT_EQ(visible(text), text);
  }
}

TEST(Visible, WritesOutWhatActsOnATerminal) {
  EXPECT_EQ(visible("\x1b[31mred\x07\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(visible("one\ntwo\r\tthree"), "one\\ntwo\\r\\tthree");
  EXPECT_EQ(visible("\u009b31m \u202Ereversed\u2066 \u2028"),
            "\\x9b31m \\u202ereversed\\u2066 \\u2028");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Visible, WritesOutBytesThatAreNotUtf8) {
  EXPECT_EQ(visible("\xff\xc0\x80 \xe2\x82"), "\\xff\\xc0\\x80 \\xe2\\x82");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(Visible, GoesThroughAnAnswerAndKeepsTheLinesOfAPlan) {
  nlohmann::json answer = {{"reason", "a\nb"},
                           {"text", "one\ntwo\x1b"},
                           {"dst_dims", {1, 2}},
                           {"nested", {{"name", "\x07"}}},
                           {"status", 1}};
  make_visible(answer);
  EXPECT_EQ(answer, (nlohmann::json{{"reason", "a\\nb"},
                                    {"text", "one\ntwo\\x1b"},
                                    {"dst_dims", {1, 2}},
                                    {"nested", {{"name", "\\x07"}}},
                                    {"status", 1}}));
}

}  // namespace
}  // namespace concord::conformance
