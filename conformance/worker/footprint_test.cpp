// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/footprint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <vector>

namespace concord::conformance {
namespace {

constexpr std::size_t kRounds = 16;

// Descriptors after each window.
std::string growth_of(const std::vector<std::size_t>& descriptors) {
  std::vector<Footprint> footprints;
  footprints.reserve(descriptors.size());
  for (const std::size_t count : descriptors) footprints.push_back({.descriptors = count});
  return describe_growth(footprints, kRounds, Held::kHandles);
}

TEST(Growth, IsWhatGoesOnFromEachWindowToTheNext) {
  EXPECT_EQ(growth_of({10, 26, 42, 58}), "48 descriptors in 48 rounds");
  EXPECT_EQ(growth_of({10, 14, 18, 22}), "12 descriptors in 48 rounds");
}

TEST(Growth, IsNoneWhereItEnds) {
  EXPECT_EQ(growth_of({10, 10, 10, 10}), "");
  EXPECT_EQ(growth_of({10, 26, 42, 42}), "") << "a cache that is full";
  EXPECT_EQ(growth_of({10, 10, 10, 90}), "") << "a pool that starts";
  EXPECT_EQ(growth_of({10, 13, 16, 19}), "") << "less than one in four rounds";
  EXPECT_EQ(growth_of({58, 42, 26, 10}), "");
}

TEST(Growth, NamesAllThatGrows) {
  std::vector<Footprint> footprints;
  for (std::size_t i = 0; i < 3; ++i) {
    footprints.push_back({.descriptors = 4,
                          .threads = 1 + 16 * i,
                          .mappings = 32 * i,
                          .allocated_bytes = 256 * i,
                          .mapped_bytes = 16384 * i});
  }
  EXPECT_EQ(describe_growth(footprints, kRounds, Held::kHandles), "32 threads in 32 rounds");
  EXPECT_EQ(describe_growth(footprints, kRounds, Held::kMemory),
            "64 mappings, 512 bytes of malloc, 32768 bytes of address space in 32 rounds");
}

TEST(Footprint, SeesDescriptorsAndMemory) {
  const Footprint before = Footprint::now();
  const int copy = dup(STDERR_FILENO);
  const auto block = std::make_unique<char[]>(1 << 16);
  const Footprint after = Footprint::now();
  close(copy);
  EXPECT_EQ(after.descriptors, before.descriptors + 1);
  EXPECT_EQ(after.threads, before.threads);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_GE(after.allocated_bytes, before.allocated_bytes + (1 << 16));
#endif
  EXPECT_GT(after.mappings, 0u);
  EXPECT_GT(after.mapped_bytes, 0u);
  EXPECT_NE(block, nullptr);
}

}  // namespace
}  // namespace concord::conformance
