// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/packed_numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace concord::conformance {
namespace {

TEST(PackedNumbers, GiveBackTheSameBits) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> numbers = {0.0,
                                       -0.0,
                                       1.0 / 3,
                                       Limits::denorm_min(),
                                       Limits::max(),
                                       -Limits::infinity(),
                                       Limits::quiet_NaN(),
                                       25};
  const std::string text = packed(numbers);
  EXPECT_EQ(text.size(), 86U);
  const auto again = unpacked<8>(text);
  ASSERT_TRUE(again);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>((*again)[i]), std::bit_cast<std::uint64_t>(numbers[i]))
        << i;
  }
}

TEST(PackedNumbers, AreTheirBytesInBase64) {
  EXPECT_EQ(packed(std::vector<double>{1}), "AAAAAAAA8D8");  // 3FF0 0000 0000 0000, last byte first
}

TEST(PackedNumbers, RefuseWhatIsNoneOrOfAnotherLength) {
  const std::string text = packed(std::vector<double>{1, 2});
  EXPECT_TRUE(unpacked<2>(text));
  EXPECT_FALSE(unpacked<1>(text));
  EXPECT_FALSE(unpacked<2>(text.substr(1)));
  EXPECT_FALSE(unpacked<2>(text + "A"));
  EXPECT_FALSE(unpacked<2>("*" + text.substr(1)));
}

}  // namespace
}  // namespace concord::conformance
