// SPDX-License-Identifier: Apache-2.0
// Kernels that bring the next weights while they compute: each of them gives the bits of the one
// that does not, brings every row to its place, and reads nothing around the weights.
#include "optimized/direct/on_the_fly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "optimized/testing/guarded.h"
#include "optimized/testing/tiles.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::Guarded;
using testing::Side;

constexpr std::int64_t kTaps = 3;
constexpr std::int64_t kChannels = 7;  // of src, or pairs of them: a run is odd, a row remains

std::vector<std::byte> random_bytes(std::int64_t count, Dtype dtype, unsigned seed) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& value : values) value = uniform(generator);
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  store(dtype, values, bytes);
  return bytes;
}
Dtype dtype_of_sums(const TileFamily& family) {
  return family.element_bytes == 8 ? Dtype::kF64 : Dtype::kF32;
}

// Weights [tap][row][columns] of one panel and `apart` more elements a row, which begin or end at a
// guard page, and where they go.
class Weights {
 public:
  Weights(const TileFamily& family, std::int64_t vectors, std::int64_t rows, std::int64_t apart,
          std::int64_t copy_interval, Side side)
      : halves_(family.channels == 2),
        element_(halves_ ? 2 : family.element_bytes),
        width_(vectors * family.lanes),
        rows_(rows),
        row_(width_ + apart),
        memory_(
            static_cast<std::size_t>((kTaps * rows * family.channels * row_ - apart) * element_),
            side, 0, "weights", static_cast<std::size_t>(element_)),
        packed_(static_cast<std::size_t>(kTaps * rows * width_ * family.element_bytes)) {
    std::vector<std::byte> content(memory_.bytes());
    for (std::size_t i = 0; i < content.size(); ++i) content[i] = std::byte(i * 37 / 11);
    memory_.hold(content);
    job_.from = job_.tap = static_cast<const char*>(memory_.data());
    job_.to = packed_.data();
    job_.rows = job_.tap_rows = rows;
    job_.taps = kTaps - 1;
    job_.vectors = vectors;
    job_.from_row = row_ * family.channels * element_;
    job_.from_tap = rows * job_.from_row;
    job_.after = job_.from;
    job_.copy_interval = copy_interval;
  }

  PackJob* job() { return &job_; }
  std::int64_t left() const { return job_.rows + job_.taps * rows_; }

  // True if all is as packed weights are.
  bool arrived() const {
    const std::size_t bytes = static_cast<std::size_t>(element_);
    for (std::int64_t product = 0; product < kTaps * rows_; ++product) {
      for (std::int64_t oc = 0; oc < width_; ++oc) {
        const std::byte* to =
            packed_.data() + (product * width_ + oc) * element_ * (halves_ ? 2 : 1);
        for (std::int64_t half = 0; half < (halves_ ? 2 : 1); ++half) {
          const std::int64_t row = halves_ ? 2 * product + half : product;
          const auto* from =
              static_cast<const std::byte*>(memory_.data()) + (row * row_ + oc) * element_;
          if (std::memcmp(to + half * element_, from, bytes) != 0) return false;
        }
      }
    }
    return true;
  }

 private:
  bool halves_;
  std::int64_t element_, width_, rows_, row_;
  Guarded memory_;
  std::vector<std::byte> packed_;
  PackJob job_{};
};

// What runs may leave out of a tile.
std::vector<std::int64_t> left_outs_of(int pixels) {
  std::vector<std::int64_t> all;
  for (const std::int64_t left_out : {0, 1, 2, -1, -2, 3, -3, 4, -7, 10, -11, 13, -13}) {
    const std::int64_t count = std::abs(left_out);
    const bool is_too_many =
        count >= pixels || (pixels > kMaxPixelsOfLongSums && count > kFewLeftOut);
    if (!is_too_many) all.push_back(left_out);
  }
  return all;
}

// Two tiles of the kernel's size, with a run for all that it may leave out. With something to
// prefetch they are computed in the ordinary way, since a part of a vector begins with dst; or, if
// `is_short`, in the way of short sums, of runs that leave out few pixels.
std::vector<std::byte> run(const TileFamily& family, int vectors, int pixels, PackJob* job,
                           PrefetchRange* ahead = nullptr, bool is_short = false) {
  const std::int64_t width = vectors * family.lanes;
  std::vector<Run> runs;
  for (const std::int64_t left_out : left_outs_of(pixels)) {
    if (is_short && std::abs(left_out) > kFewLeftOut) continue;
    const auto at = static_cast<std::int64_t>(runs.size());
    runs.push_back(
        {.src = at, .weights = at * kChannels, .length = kChannels, .left_out = left_out});
  }
  const Dtype dtype = dtype_of_sums(family);
  const auto count = static_cast<std::int64_t>(runs.size());
  const auto src = random_bytes((2 * pixels + count) * kChannels, dtype, 1);
  const auto weights = random_bytes(count * kChannels * width, dtype, 2);
  const auto bias = random_bytes(width, dtype, 3);
  std::vector<std::byte> dst(static_cast<std::size_t>(2 * pixels * width * family.element_bytes));
  TileCall call{};
  call.src = src.data();
  call.src_pixel = kChannels;
  call.src_tile = pixels * kChannels;
  call.depth_taps = call.row_taps = 1;
  call.runs = runs.data();
  call.run_count = count;
  call.weights = weights.data();
  call.bias = bias.data();
  call.dst = dst.data();
  call.dst_pixel = width;
  call.dst_tile = pixels * width;
  call.tiles = 2;
  const bool is_ordinary = ahead != nullptr && !is_short;
  call.channels = is_ordinary ? width - 1 : width;
  call.pack_job = job;
  call.ahead = ahead;
  call.accumulate = is_ordinary ? 1 : 0;
  (job == nullptr ? family.kernels : family.packing)[vectors][pixels](call);
  return dst;
}

void expect_supplied(const TileFamily& family, int vectors, int pixels, std::int64_t rows,
                     std::int64_t copy_interval) {
  const auto want = run(family, vectors, pixels, nullptr);
  for (const Side side : testing::kSides) {
    Weights weights(family, vectors, rows, side == Side::kBefore ? 5 : 0, copy_interval, side);
    const std::int64_t before = weights.left();
    const auto got = run(family, vectors, pixels, weights.job());
    EXPECT_EQ(got, want) << family.name << " " << pixels << "x" << vectors;
    EXPECT_LT(weights.left(), before) << family.name << " " << pixels << "x" << vectors;
    family.pack_rest(weights.job());
    EXPECT_EQ(weights.left(), 0);
    EXPECT_TRUE(weights.arrived()) << family.name << " " << pixels << "x" << vectors;
  }
}

TEST(PackJob, IsBroughtByEveryKernelWhichComputesTheSame) {
  testing::for_each_tile([](const TileFamily& family, int vectors, int pixels) {
    for (const std::int64_t rows : {1, 2, 40}) {
      for (const std::int64_t copy_interval : {1, 3}) {
        expect_supplied(family, vectors, pixels, rows, copy_interval);
      }
    }
  });
}

TEST(PrefetchRange, IsAskedForAtEveryProductOfEveryKernelUntilItsEnd) {
  constexpr std::int64_t kStep = 20;
  const std::vector<char> wanted(1 << 16);
  const char* const first = wanted.data();
  testing::for_each_tile([&](const TileFamily& family, int vectors, int pixels) {
    const auto runs = static_cast<std::int64_t>(left_outs_of(pixels).size());
    const std::int64_t products = 2 * kChannels * runs;
    PrefetchRange all = {first, first + wanted.size(), kStep};
    run(family, vectors, pixels, nullptr, &all);
    const std::int64_t times = pixels > kMaxPixelsOfLongSums ? 2 : 1;
    EXPECT_EQ(all.at - first, times * products * kStep)
        << family.name << " " << pixels << "x" << vectors;
    PrefetchRange one = {first, first + 1, kStep};
    run(family, vectors, pixels, nullptr, &one);
    EXPECT_EQ(one.at - first, kChannels * kStep) << family.name << " " << pixels << "x" << vectors;
    PrefetchRange two = {first, first + 1, kStep, 1, 1, 1000};
    run(family, vectors, pixels, nullptr, &two);
    EXPECT_EQ(two.at - first, 1000 + kChannels * kStep)
        << family.name << " " << pixels << "x" << vectors;
    // Kernels of short sums see after a tile how far they have come.
    PrefetchRange by_tiles = {first, first + 1, kStep, 1, 1, 1000};
    run(family, vectors, pixels, nullptr, &by_tiles, true);
    EXPECT_TRUE(by_tiles.at > first + 1000 && by_tiles.more == 0 && by_tiles.step == 0)
        << family.name << " " << pixels << "x" << vectors;
    // All but those of AVX-512 come as far as the products, though short steps prefetch together.
    if (family.lanes * family.element_bytes == 64) return;
    const auto outs = left_outs_of(pixels);
    const auto few = std::count_if(outs.begin(), outs.end(), [](std::int64_t left_out) {
      return std::abs(left_out) <= kFewLeftOut;
    });
    for (const std::int64_t step : {4, 16, 17, 64}) {
      PrefetchRange near = {first, first + wanted.size(), step};
      run(family, vectors, pixels, nullptr, &near, true);
      EXPECT_EQ(near.at - first, 2 * kChannels * few * step)
          << family.name << " " << pixels << "x" << vectors;
    }
  });
}

TEST(PackJob, IsPlannedForDenseLayersWhoseWeightsComeAsTheyAre) {
  for (const char* line : {"f32 src=1x7x7x256 weights=3x3x256x512 data_format=NXC "
                           "weights_format=XIO",
                           "f32 src=1x14x14x256 weights=3x3x256x512 data_format=NXC "
                           "weights_format=XIO"}) {
    const auto plan = make_plan(testing::problem_of("Convolution " + std::string(line)));
    ASSERT_TRUE(plan);
    EXPECT_NE(describe(*plan).find("by each task what it reads"), std::string::npos) << line;
  }
}

// Products for a row of the second block, while the task's tiles compute with the first.
std::int64_t pace_of(const std::string& line, Isa isa) {
  const Problem problem = testing::problem_of("Convolution " + line);
  const auto plan = make_plan(problem, {.isa = isa});
  const Tiling* const tiling = plan ? plan->as<Tiling>() : nullptr;
  if (tiling == nullptr || !packs_by_task(*plan, *tiling)) return 0;
  const Tiling& t = *tiling;
  const auto weights = random_bytes(*element_count(problem.weights.dims), problem.dtype, 4);
  std::vector<std::byte> buffers(
      static_cast<std::size_t>(OnTheFlyPacker::buffers(t) * t.element_bytes()));
  OnTheFlyPacker packer(*plan, t, weights.data(), buffers.data());
  packer.begin(outputs_of_task(t, 0));
  const WeightBlock first{0, 0, 0};
  const WeightBlock second{0, t.channel_blocks() > 1 ? 0 : 1, t.channel_blocks() > 1 ? 1 : 0};
  packer.take(first);
  packer.expect(first, second, std::nullopt);
  return packer.job()->copy_interval;
}

TEST(PackJob, ComesAsSlowlyAsTheTilesAllow) {
  const std::string rest = " data_format=NXC weights_format=XIO";
  for (const Isa isa : testing::supported_isas()) {
    EXPECT_EQ(pace_of("f32 src=1x1x1x64 weights=1x1x64x256" + rest, isa), 2) << to_string(isa);
    EXPECT_GT(
        pace_of("f32 src=1x7x7x64 weights=3x3x64x256 pads_begin=1,1 pads_end=1,1" + rest, isa), 3)
        << to_string(isa);
  }
}

}  // namespace
}  // namespace concord::optimized
