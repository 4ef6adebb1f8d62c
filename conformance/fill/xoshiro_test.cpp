// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/xoshiro.h"

#include <gtest/gtest.h>

#include <limits>

namespace concord::conformance {
namespace {

// The definition, with its divisions.
Extent divided(Xoshiro& random, Extent bound) {
  const auto range = static_cast<std::uint64_t>(bound);
  const std::uint64_t excess = (0 - range) % range;
  std::uint64_t draw = random.next();
  while (draw < excess) draw = random.next();
  return static_cast<Extent>(draw % range);
}

TEST(Below, DrawsTheRemaindersOfADivision) {
  constexpr Extent kMost = std::numeric_limits<Extent>::max();
  for (const Extent bound : {Extent{1}, Extent{2}, Extent{3}, Extent{4}, Extent{7}, Extent{41},
                             Extent{127}, Extent{4096}, Extent{65504}, Extent{1000003},
                             (Extent{1} << 53) - 1, kMost / 2 + 2, kMost - 1, kMost}) {
    Xoshiro fast(7), slow(7);
    const Below below(bound);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(below(fast), divided(slow, bound)) << bound;
  }
}

TEST(SignedInteger, IsASignAndThenAMagnitude) {
  Xoshiro fast(3), slow(3);
  const SignedInteger draw(9, 3, 4);
  for (int i = 0; i < 1000; ++i) {
    const Extent sign = slow.sign(3, 4);
    ASSERT_EQ(draw(fast), static_cast<double>(sign * slow.between(1, 9)));
  }
}

}  // namespace
}  // namespace concord::conformance
