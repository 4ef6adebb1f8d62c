// SPDX-License-Identifier: Apache-2.0
#include "optimized/layout/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "spec/dtype.h"

namespace concord::optimized {
namespace {

TEST(Convert, WidensEveryElementAsSpecDoes) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto element = static_cast<std::uint16_t>(bits);
    const double f16 = load(Dtype::kF16, &element);
    const double bf16 = load(Dtype::kBF16, &element);
    if (std::isnan(f16)) {
      EXPECT_TRUE(std::isnan(from_f16(element)));
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(from_f16(element)),
                std::bit_cast<std::uint32_t>(static_cast<float>(f16)));
    }
    if (std::isnan(bf16)) {
      EXPECT_TRUE(std::isnan(from_bf16(element)));
    } else {
      EXPECT_EQ(from_bf16(element), static_cast<float>(bf16));
    }
  }
}

void expect_narrows(float value) {
  std::uint16_t want = 0;
  if (std::isnan(value)) {
    EXPECT_TRUE(std::isnan(from_f16(to_f16(value))));
    EXPECT_TRUE(std::isnan(from_bf16(to_bf16(value))));
    return;
  }
  store(Dtype::kF16, static_cast<double>(value), &want);
  EXPECT_EQ(to_f16(value), want) << value;
  store(Dtype::kBF16, static_cast<double>(value), &want);
  EXPECT_EQ(to_bf16(value), want) << value;
}

TEST(Convert, NarrowsEveryTieAndItsNeighboursAsSpecDoes) {
  for (std::uint32_t bits = 0; bits < 0x7F80; ++bits) {
    const auto element = static_cast<std::uint16_t>(bits);
    for (const float lower : {from_f16(element), from_bf16(element)}) {
      const auto next = static_cast<std::uint16_t>(bits + 1);
      const float upper = lower == from_f16(element) ? from_f16(next) : from_bf16(next);
      const float middle = (lower + upper) / 2;
      for (const float value :
           {lower, middle, std::nextafterf(middle, 0), std::nextafterf(middle, 1e38F)}) {
        expect_narrows(value);
        expect_narrows(-value);
      }
    }
  }
}

TEST(Convert, NarrowsRandomBitsAsSpecDoes) {
  std::mt19937 generator(11);
  for (int i = 0; i < 200000; ++i) {
    expect_narrows(std::bit_cast<float>(static_cast<std::uint32_t>(generator())));
  }
}

}  // namespace
}  // namespace concord::optimized
