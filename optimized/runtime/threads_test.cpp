// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, any alignment and any content of the workspace.
#include <gtest/gtest.h>

#include "optimized/testing/bits.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::Bytes;

void expect_same_bits(const char* line, int winograd) {
  const Problem problem = testing::problem_of(line);
  for (const Isa isa : testing::supported_isas()) {
    const auto bits = [&](int threads, std::byte dirt, std::size_t shift,
                          bool packs_before = true) {
      return testing::dst_bits(problem, {.threads = threads, .isa = isa, .winograd = winograd},
                               {dirt, shift, packs_before});
    };
    const Bytes one = bits(1, std::byte{0}, 0);
    EXPECT_EQ(bits(1, std::byte{0xFF}, 0, false), one) << to_string(isa) << " " << line;
    for (const int threads : {2, 3, 4, 8}) {
      EXPECT_EQ(bits(threads, std::byte{0xFF}, 0), one)
          << to_string(isa) << " " << line << " " << threads;
      EXPECT_EQ(bits(threads, std::byte{0xFF}, 0, false), one)
          << to_string(isa) << " " << line << " " << threads << ", packed on the way";
    }
    EXPECT_EQ(bits(2, std::byte{0xFF}, problem.dtype == Dtype::kF64 ? 8 : 4), one)
        << to_string(isa) << " " << line << ", another alignment";
  }
}

TEST(Threads, GiveTheSameBitsForAnyNumberOfThem) {
  for (const char* line :
       {"Convolution f32 src=2x13x17x40 weights=3x3x40x70 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x40x13x17 weights=70x40x3x3 pads_begin=1,1 pads_end=1,1 "
        "data_format=NCX weights_format=OIX",
        "Convolution f32 src=1x13x17x40 weights=3x3x1x40 groups=40 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x13x17x48 weights=3x3x16x48 groups=3 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution bf16 src=1x33x17x40 weights=3x3x1x40 groups=40 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x9x9x640 weights=3x3x640x40 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f32 src=2x40x16x16 weights=70x40x1x1 data_format=NCX weights_format=OIX",
        "Convolution f32 src=2x300x14x29 weights=70x300x1x1 strides=2,2 data_format=NCX "
        "weights_format=OIX",
        "Convolution f32 src=1x900x24 weights=3x24x40 data_format=NXC weights_format=XIO",
        "Convolution bf16 src=2x13x17x40 weights=3x3x40x70 data_format=NXC weights_format=XIO",
        "Convolution bf16 src=2x13x47x40 weights=3x3x40x70 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution bf16 src=2x13x17x31 weights=1x1x31x70 data_format=NXC weights_format=XIO",
        "Convolution bf16 src=1x33x33x64 weights=3x3x64x40 pads_begin=12,12 pads_end=12,12 "
        "dilations=12,12 data_format=NXC weights_format=XIO",
        "Convolution bf16 src=1x13x17x24 weights=3x3x8x24 groups=3 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution bf16 src=2x16x35x3 weights=4x4x3x70 strides=4,4 data_format=NXC "
        "weights_format=XIO",
        "Convolution bf16 src=1x13x17x48 weights=3x3x16x48 groups=3 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f16 src=2x13x17x40 weights=3x3x10x60 groups=4 data_format=NXC "
        "weights_format=XIO",
        "Convolution f64 src=2x13x17x40 weights=3x3x40x70 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f64 src=1x40x13x17 weights=70x40x3x3 pads_begin=1,1 pads_end=1,1 "
        "data_format=NCX weights_format=OIX",
        "Convolution f64 src=1x33x17x40 weights=3x3x1x40 groups=40 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f64 src=1x9x9x640 weights=3x3x640x40 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f64 src=2x40x16x16 weights=70x40x1x1 data_format=NCX weights_format=OIX"}) {
    expect_same_bits(line, 0);
  }
}

// Patches of stride 2, weights that tasks pack, and a dst of the size at which it stays in the
// caches and of the next one, which goes past them.
TEST(Threads, GiveTheSameBitsHoweverTasksPackAndWrite) {
  for (const char* line :
       {"Convolution bf16 src=2x23x19x33 weights=3x3x1x33 groups=33 strides=2,2 pads_begin=1,1 "
        "pads_end=2,1 data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x7x7x256 weights=3x3x256x1536 "
        "data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x256x128x3 weights=1x1x3x64 data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x257x128x3 weights=1x1x3x64 data_format=NXC weights_format=XIO",
        "Convolution bf16 src=1x257x256x3 weights=1x1x3x64 data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x3x257x128 weights=64x3x1x2 data_format=NCX weights_format=OIX",
        "Convolution f64 src=1x7x7x256 weights=3x3x256x768 data_format=NXC weights_format=XIO",
        "Convolution f64 src=1x3x129x128 weights=64x3x1x2 data_format=NCX weights_format=OIX"}) {
    expect_same_bits(line, 0);
  }
}

// Columns for rows, or not: how many of them a task has depends on threads.
TEST(Threads, GiveTheSameBitsWhereTasksHaveFewColumns) {
  for (const char* line :
       {"Convolution f16 src=1x512x100x9 weights=256x512x1x9 strides=2,1 pads_begin=0,4 "
        "pads_end=0,4 data_format=NCX weights_format=OIX",
        "Convolution f32 src=1x512x28x9 weights=256x512x1x7 data_format=NCX weights_format=OIX"}) {
    const Problem problem = testing::problem_of(line);
    for (const Target* const target : all_targets()) {
      const Options one = {.target = target};
      const auto sums = make_plan(problem, one)->sums();
      for (const int threads : {2, 4, 8, 64}) {
        const Options many = {.threads = threads, .target = target};
        EXPECT_EQ(make_plan(problem, many)->sums(), sums) << target->name << " " << line;
      }
    }
    const Bytes one = testing::dst_bits(problem, {});
    EXPECT_EQ(testing::dst_bits(problem, {.threads = 4}), one) << line;
  }
}

Extent tasks_of(const Plan& plan) {
  if (const auto* const tiling = plan.as<Tiling>()) return tiling->tasks();
  const auto* const grouping = plan.as<Grouping>();
  return grouping != nullptr ? grouping->tasks() : 0;
}

// Strips of fewer tiles, bands of fewer rows and channels.
TEST(Threads, OfWhichThereAreManyGetTasksSmallEnough) {
  for (const char* line :
       {"Convolution f32 src=1x14x14x300 weights=1x1x300x128 data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x17x19x300 weights=3x3x300x40 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x300x14x14 weights=128x300x3x3 data_format=NCX weights_format=OIX",
        "Convolution f32 src=3x56x56x96 weights=3x3x1x96 groups=96 strides=2,2 pads_begin=1,1 "
        "pads_end=1,1 data_format=NXC weights_format=XIO",
        "Convolution f32 src=1x21x23x256 weights=3x3x4x256 groups=64 pads_begin=1,1 pads_end=1,1 "
        "data_format=NXC weights_format=XIO",
        "Convolution bf16 src=1x33x35x128 weights=5x5x1x128 groups=128 pads_begin=2,2 "
        "pads_end=2,2 data_format=NXC weights_format=XIO"}) {
    const Problem problem = testing::problem_of(line);
    const auto many = make_plan(problem, {.threads = 24});
    ASSERT_TRUE(many);
    EXPECT_GE(tasks_of(*many), 24) << describe(*many);
    const Bytes one = testing::dst_bits(problem, {});
    EXPECT_EQ(testing::dst_bits(problem, {.threads = 24}), one) << line;
    EXPECT_EQ(testing::dst_bits(problem, {.threads = 24}, {.packs_before = false}), one) << line;
    EXPECT_EQ(testing::wrong_anywhere(problem, 24), "") << line;
  }
}

TEST(Threads, GiveTheSameBitsByWinogradsAlgorithm) {
  for (const int size : {2, 4}) {
    expect_same_bits("Convolution f32 src=2x33x37x40 weights=3x3x40x70 pads_begin=1,1", size);
    expect_same_bits("Convolution f32 src=1x9x9x1700 weights=3x3x1700x20", size);
  }
}

}  // namespace
}  // namespace concord::optimized
