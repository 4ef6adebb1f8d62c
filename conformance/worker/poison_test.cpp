// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/poison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace concord::conformance {
namespace {

std::vector<Poison> all_poisons(Dtype dtype) {
  std::vector<Poison> all;
  for (const Input input : kInputs) {
    all.push_back(Poison::gaps(input, dtype));
    all.push_back(Poison::beside(input, dtype));
  }
  for (const bool again : {false, true}) {
    all.push_back(Poison::dst(dtype, again));
    all.push_back(Poison::workspace(dtype, again));
  }
  return all;
}

std::vector<std::byte> filled(const Poison& poison, std::size_t bytes, std::ptrdiff_t offset) {
  std::vector<std::byte> memory(bytes);
  poison.fill(memory, offset);
  return memory;
}

TEST(Poison, IsNaNInItsDtypeAndInTheWorkspaceInEveryOneAndANumberAgain) {
  for (const Dtype dtype : kDtypes) {
    for (const bool again : {false, true}) {
      const auto is_right = [&](double value) {
        return again ? std::isfinite(value) && value > 1 : std::isnan(value);
      };
      const auto dst = filled(Poison::dst(dtype, again), 4096, 0);
      for (std::size_t i = 0; i < dst.size(); i += size_of(dtype)) {
        EXPECT_TRUE(is_right(load(dtype, &dst[i])));
      }
      const auto workspace = filled(Poison::workspace(dtype, again), 4096, -512);
      for (const Dtype any : kDtypes) {
        for (std::size_t i = 0; i < workspace.size(); i += size_of(any)) {
          ASSERT_TRUE(is_right(load(any, &workspace[i]))) << to_string(any) << " " << i;
        }
      }
    }
  }
}

TEST(Poison, EveryChangedByteIsCountedAtAnyPlaceOfAnyPattern) {
  for (const Dtype dtype : kDtypes) {
    for (const Poison& poison : all_poisons(dtype)) {
      for (const std::ptrdiff_t offset : {-9, -4, -1, 0, 1, 2, 3, 4094}) {
        auto memory = filled(poison, 21, offset);
        EXPECT_EQ(poison.count_written(memory, offset), 0U);
        for (std::byte& byte : memory) {
          for (const int step : {1, 2, 128, 255}) {
            const std::byte before = byte;
            byte = static_cast<std::byte>(static_cast<int>(byte) + step);
            EXPECT_EQ(poison.count_written(memory, offset), 1U);
            byte = before;
          }
        }
      }
    }
  }
}

TEST(Poison, IsTheSameWhetherFilledAtOnceOrInParts) {
  for (const Dtype dtype : kDtypes) {
    for (const Poison& poison : all_poisons(dtype)) {
      const auto whole = filled(poison, 9001, -37);
      for (std::size_t at = 0; at < whole.size(); at += 1283) {
        const std::size_t size = std::min<std::size_t>(1283, whole.size() - at);
        const auto part = filled(poison, size, static_cast<std::ptrdiff_t>(at) - 37);
        EXPECT_EQ(std::memcmp(part.data(), &whole[at], size), 0);
      }
      EXPECT_EQ(poison.count_written(whole, -37), 0U);
    }
  }
}

TEST(Poison, OfTwoExecutionsDiffersInEveryElement) {
  for (const Dtype dtype : kDtypes) {
    const std::size_t size = size_of(dtype);
    const auto first = filled(Poison::dst(dtype), 64 * size, 0);
    const auto again = filled(Poison::dst(dtype, true), 64 * size, 0);
    for (std::size_t i = 0; i < first.size(); i += size) {
      EXPECT_NE(std::memcmp(&first[i], &again[i], size), 0);
    }
  }
}

TEST(Poison, OfEveryPlaceNamesIt) {
  struct Expected {
    Poison poison;
    Poisoned where;
  };
  for (const Dtype dtype : kDtypes) {
    for (const auto& [poison, where] :
         {Expected{Poison::gaps(Input::kSrc, dtype), Poisoned::kSrcGap},
          Expected{Poison::gaps(Input::kDiffDst, dtype), Poisoned::kDiffDstGap},
          Expected{Poison::dst(dtype), Poisoned::kDst},
          Expected{Poison::workspace(dtype), Poisoned::kWorkspace}}) {
      const std::size_t size = size_of(dtype);
      const auto memory = filled(poison, 1000 * size, 0);
      for (std::size_t i = 0; i < 1000; ++i) {
        const auto origin = origin_of(dtype, &memory[i * size]);
        ASSERT_TRUE(origin) << to_string(dtype) << " " << i;
        EXPECT_EQ(origin->where, where);
        EXPECT_EQ(origin->index, static_cast<std::int64_t>(i) % origin->modulus);
      }
    }
  }
}

TEST(Poison, NoByteOfDstCanBeWrittenAsItIsInBothExecutions) {
  for (const Dtype dtype : kDtypes) {
    const auto first = filled(Poison::dst(dtype), 9000, -3000);
    const auto again = filled(Poison::dst(dtype, true), 9000, -3000);
    for (std::size_t i = 0; i < again.size(); ++i) {
      EXPECT_NE(first[i], again[i]) << to_string(dtype) << " " << i;
      EXPECT_FALSE(first[i] == std::byte{0} && again[i] == std::byte{0});
    }
  }
}

// What processors and compilers make when they make a NaN of nothing.
TEST(Poison, IsNoneOfTheUsualNaNs) {
  for (const std::uint16_t half : std::initializer_list<std::uint16_t>{
           0x7e00, 0xfe00, 0x7fff, 0xffff, 0x7c01, 0x7c00, 0x3c00}) {
    EXPECT_FALSE(origin_of(Dtype::kF16, &half)) << std::hex << half;
  }
  for (const std::uint16_t half : std::initializer_list<std::uint16_t>{
           0x7fc0, 0xffc0, 0x7fff, 0xffff, 0x7f81, 0x7f80, 0x3f80}) {
    EXPECT_FALSE(origin_of(Dtype::kBF16, &half)) << std::hex << half;
  }
}

}  // namespace
}  // namespace concord::conformance
