// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/compilation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace concord::backends {
namespace {

TEST(Compilation, HappensOnceHoweverOftenItIsAskedFor) {
  std::atomic<int> times = 0;
  Compilation compilation([&] { ++times; });
  EXPECT_EQ(times, 0);
  compilation.begin();
  compilation.wait_a_while();
  compilation.wait();
  compilation.wait();
  EXPECT_EQ(times, 1);
}

TEST(Compilation, WaitingBeginsIt) {
  bool compiled = false;
  Compilation compilation([&] { compiled = true; });
  compilation.wait();
  EXPECT_TRUE(compiled);
}

TEST(Compilation, WhoWaitsLearnsWhyItFailed) {
  Compilation compilation([] { throw std::runtime_error("no compiler"); });
  EXPECT_NO_THROW(compilation.begin());
  EXPECT_THROW(compilation.wait_a_while(), std::runtime_error);
  EXPECT_THROW(compilation.wait(), std::runtime_error);
}

TEST(Compilation, AWhileIsShorterThanARequestMayTake) {
  std::promise<void> ends;
  Compilation compilation([&] { ends.get_future().wait(); });
  const auto begun = std::chrono::steady_clock::now();
  compilation.wait_a_while();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(8));
  ends.set_value();
  compilation.wait();
}

}  // namespace
}  // namespace concord::backends
