// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/other_bits.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "spec/tensor_values.h"

namespace concord::conformance {
namespace {

// Two rows of three in memory column by column, with a gap behind each column.
const Tensor kDst{{2, 3}, {1, 3}};

std::vector<std::byte> memory(Dtype dtype, const std::vector<double>& values, std::byte gap) {
  std::vector<std::byte> bytes(8 * size_of(dtype), gap);
  write_tensor(dtype, kDst, values, bytes.data());
  return bytes;
}

std::string other_bits(Dtype dtype, const std::vector<double>& before,
                       const std::vector<double>& now) {
  const auto other = find_other_bits(dtype, kDst, memory(dtype, before, std::byte{1}),
                                     memory(dtype, now, std::byte{2}));
  return other ? describe(*other) : "same";
}

TEST(OtherBits, AreNamedByTheFirstElementInTheOrderOfTheAxes) {
  for (const Dtype dtype : kDtypes) {
    EXPECT_EQ(other_bits(dtype, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}), "same");
    // In memory dst[1,0] comes first.
    EXPECT_EQ(other_bits(dtype, {1, 2, 3, 4, 5, 6}, {1, 2, 1.25, 8, 5, 6}),
              "dst[0,2] was 3 and then 1.25");
  }
}

TEST(OtherBits, AreNotThoseOfAnotherNaNButOfAnotherZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Dtype dtype : kDtypes) {
    EXPECT_EQ(other_bits(dtype, {nan, 2, 3, 4, 5, 6}, {-nan, 2, 3, 4, 5, 6}), "same");
    EXPECT_EQ(other_bits(dtype, {nan, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}),
              "dst[0,0] was nan and then 1");
    EXPECT_EQ(other_bits(dtype, {1, 2, 3, 4, 0, 6}, {1, 2, 3, 4, -0.0, 6}),
              "dst[1,1] was 0 and then -0");
  }
}

TEST(OtherBits, OfTwoThreadCountsNameBoth) {
  EXPECT_EQ(describe({{0, 3}, 1.5, 1.25}, 2, 1),
            "dst[0,3] was 1.5 with threads=2 and 1.25 with threads=1");
}

}  // namespace
}  // namespace concord::conformance
