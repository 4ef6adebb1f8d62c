// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/shared_text.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace concord::conformance {
namespace {

TEST(SharedText, IsOneCopyOfEachText) {
  const std::string implementation = "a name too long to lie within a string";
  const SharedText one(implementation), same{std::string_view(implementation)}, other("another");
  EXPECT_EQ(one.text(), implementation);
  EXPECT_EQ(&one.text(), &same.text());
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
}

TEST(SharedText, IsEmptyAtFirstAndOfNothing) {
  EXPECT_TRUE(SharedText().empty());
  EXPECT_EQ(SharedText().text(), "");
  EXPECT_EQ(SharedText(""), SharedText());
  EXPECT_FALSE(SharedText(" ").empty());
}

TEST(SharedText, GoesWithTheLastThatHasIt) {
  const std::size_t before = shared_texts();
  {
    SharedText same;
    {
      const SharedText one("nobody else has this");
      same = one;
    }
    EXPECT_EQ(same.text(), "nobody else has this");
    EXPECT_EQ(shared_texts(), before + 1);
  }
  EXPECT_EQ(shared_texts(), before);
}

// Each text comes and goes all the time, on all threads at once.
TEST(SharedText, IsTheSameFromAnyThread) {
  const std::size_t before = shared_texts();
  std::vector<SharedText> texts(8);
  {
    std::vector<std::jthread> threads;
    threads.reserve(texts.size());
    for (SharedText& text : texts) {
      threads.emplace_back([&] {
        for (int i = 0; i <= 30000; ++i) text = "text " + std::to_string(i % 3);
      });
    }
  }
  for (const SharedText& text : texts) EXPECT_EQ(text, SharedText("text 0"));
  EXPECT_EQ(shared_texts(), before + 1);
}

}  // namespace
}  // namespace concord::conformance
