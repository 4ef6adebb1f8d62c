// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/leak.h"

#include <gtest/gtest.h>

#include <vector>

#include "conformance/worker/poison.h"

namespace concord::conformance {
namespace {

/// dst 2x3 with two gaps behind each row; the poison of `where`, `index` words from its beginning,
/// stands at dst[1,2], which is element 7 of its memory.
std::string leak(const Poison& poison, std::ptrdiff_t index, Dtype dtype = Dtype::kF32) {
  Problem problem = *parse("Convolution f32 src=1x1x4:9x9x2 weights=1x1x2");
  problem.dtype = dtype;
  const Tensor dst{{2, 3}, {5, 1}};
  const std::size_t size = size_of(dtype);
  std::vector<std::byte> bytes(8 * size);
  poison.fill(std::span(bytes).subspan(7 * size, size), index * static_cast<std::ptrdiff_t>(size));
  return describe_leak(problem, dst, {1, 2}, bytes);
}

TEST(Leak, NamesWhereThePoisonStood) {
  EXPECT_EQ(leak(Poison::dst(Dtype::kF32), 7),
            "dst[1,2] was never written, or added to what was there");
  EXPECT_EQ(leak(Poison::dst(Dtype::kF32), 3),
            "dst[1,2] holds an earlier value of dst, 3 elements from its beginning");
  EXPECT_EQ(leak(Poison::gaps(Input::kSrc, Dtype::kF32), 5),
            "dst[1,2] holds a value from a gap in src, 5 elements from its beginning");
  EXPECT_EQ(leak(Poison::beside(Input::kWeights, Dtype::kF32), -2),
            "dst[1,2] holds memory from around weights: its bounds were crossed");
  EXPECT_EQ(leak(Poison::workspace(Dtype::kF32), 450),
            "dst[1,2] holds an earlier value of the workspace, 2 (modulo 448) words of 4 bytes "
            "from its beginning");
}

TEST(Leak, SaysHowMuchOfThePlaceAShortNaNHolds) {
  EXPECT_EQ(leak(Poison::dst(Dtype::kBF16), 7, Dtype::kBF16),
            "dst[1,2] was never written, or added to what was there");
  EXPECT_EQ(leak(Poison::workspace(Dtype::kF16), 9, Dtype::kF16),
            "dst[1,2] holds an earlier value of the workspace, 2 (modulo 7) words of 2 bytes "
            "from its beginning");
}

TEST(Leak, IsNoneWhereTheNaNIsNotOurs) {
  const Problem problem = *parse("Convolution f32 src=1x1x4 weights=1x1x2");
  for (const std::uint32_t word : {0x7fc00000U, 0xffc00000U, 0x7fffffffU, 0xffffffffU, 0x7f800000U,
                                   0x3f800000U, 0x7f800001U}) {
    const auto bytes = std::as_bytes(std::span(&word, 1));
    EXPECT_EQ(describe_leak(problem, {{1}, {}}, {0}, bytes), "") << std::hex << word;
  }
}

}  // namespace
}  // namespace concord::conformance
