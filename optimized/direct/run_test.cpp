// SPDX-License-Identifier: Apache-2.0
// What sums are made of, and how register tiles get to dst: rounded as they are stored, staged,
// past the caches.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "optimized/testing/trial.h"
#include "spec/grid.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::Side;
using testing::supported_isas;
using testing::Trial;
using testing::wrong_anywhere;

Tiling tiling_of(const Problem& problem, Isa isa) {
  const auto plan = make_plan(problem, {.isa = isa});
  EXPECT_EQ(plan->name(), "tiles") << print(problem);
  return *plan->as<Tiling>();
}

// A user's src may have gaps that nobody may read: here pages between its rows.
TEST(TileSrc, IsReadWithoutItsGaps) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x6x16x4:65536x8192x4x1 weights=3x3x4x32 pads_begin=1,1 pads_end=1,1 "
      "data_format=NXC weights_format=XIO");
  constexpr std::size_t kRowBytes = 8192 * sizeof(float), kElementsOfRow = 64;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  ASSERT_EQ(kRowBytes % page, 0U);
  // Each row at the end of a page: what follows it is a gap.
  const std::size_t bytes = 6 * kRowBytes;
  void* const mapped = mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const first = static_cast<std::byte*>(mapped) + page - kElementsOfRow * sizeof(float);
  for (std::size_t row = 0; row < 6; ++row) {
    auto* const at = static_cast<std::byte*>(mapped) + row * kRowBytes;
    ASSERT_EQ(mprotect(at, page, PROT_READ | PROT_WRITE), 0);
    std::fill_n(reinterpret_cast<float*>(first + row * kRowBytes), kElementsOfRow, 1.0F);
  }
  const std::vector<float> weights(3 * 3 * 4 * 32, 1);
  for (const Isa isa : supported_isas()) {
    const auto plan = make_plan(problem, {.isa = isa});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->name(), "tiles");
    std::vector<double> workspace(plan->workspace_bytes / sizeof(double) + 1);
    std::vector<float> dst(6 * 16 * 32);
    execute(*plan, pack(*plan, weights.data(), nullptr), first, dst.data(), workspace.data());
    EXPECT_EQ(dst[0], 16) << "a corner, four taps";
    EXPECT_EQ(dst[(2 * 16 + 3) * 32 + 5], 36) << "in the middle, nine taps";
  }
  munmap(mapped, bytes + page);
}

TEST(TileDst, IsRoundedAsItIsStoredWhereKernelsReadBf16) {
  for (const int channels : {1, 15, 16, 17, 31, 32, 33, 47, 48, 64, 70}) {
    const std::string c = std::to_string(channels);
    const Problem problem =
        problem_of("Convolution bf16 src=2x5x19x6 weights=2x3x6x" + c + " bias=" + c +
                   " pads_begin=1,0 pads_end=0,2 data_format=NXC "
                   "weights_format=XIO");
    EXPECT_EQ(wrong_anywhere(problem), "") << channels;
    if (!is_supported(Isa::kAvx512Bf16)) continue;
    EXPECT_TRUE(tiling_of(problem, Isa::kAvx512Bf16).rounds_dst) << channels;
  }
}

TEST(TileDst, IsKeptInF32BetweenThePassesOfASum) {
  const Problem problem = problem_of(
      "Convolution bf16 src=1x4x5x1500 weights=3x3x1500x40 pads_begin=1,1 pads_end=1,1 "
      "data_format=NXC weights_format=XIO");
  EXPECT_EQ(wrong_anywhere(problem, 2), "");
  if (!is_supported(Isa::kAvx512Bf16)) return;
  const Tiling tiling = tiling_of(problem, Isa::kAvx512Bf16);
  EXPECT_GT(tiling.channel_blocks(), 1);
  EXPECT_FALSE(tiling.rounds_dst);
  EXPECT_TRUE(tiling.stages_dst);
}

// Of 8.5 MiB and more, where it is staged: in lines that are whole, or not where channels or
// addresses forbid it.
TEST(TileDst, IsRightWhereItGoesPastTheCaches) {
  for (const char* line : {
           "f32 src=1x190x191x2 weights=1x1x2x64 bias=64 data_format=NXC weights_format=XIO",
           "f32 src=1x190x191x1 weights=1x1x1x72 data_format=NXC weights_format=XIO",
           "f32 src=1x2x192x193 weights=64x2x1x2 data_format=NCX weights_format=OIX",
           "f32 src=1x2x191x195 weights=61x2x1x2 data_format=NCX weights_format=OIX",
           "bf16 src=1x266x256x2 weights=1x1x2x64 bias=64 data_format=NXC weights_format=XIO",
           "bf16 src=1x220x220x2 weights=1x1x2x96 data_format=NXC weights_format=XIO",
           "f64 src=1x2x96x193 weights=64x2x1x2 data_format=NCX weights_format=OIX",
       }) {
    const Problem problem = problem_of("Convolution " + std::string(line));
    Trial trial(problem);
    for (const Isa isa : supported_isas()) {
      const auto plan = make_plan(problem, {.isa = isa});
      if (const auto* t = plan->as<Tiling>()) {
        EXPECT_EQ(t->non_temporal_dst, t->stages_dst) << line << to_string(isa);
      }
      for (const Side side : {Side::kAfter, Side::kUnaligned}) {
        EXPECT_EQ(trial.run({.isa = isa}, side), "") << line << to_string(isa);
      }
    }
  }
}

// Values of type T, as doubles.
template <class T>
std::vector<double> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(uniform(generator));
  return values;
}

struct Fused {
  int group, rows, columns;  ///< channels of a group, and the kernel
};

// The bits of sums of type T of a layer of 32 channels.
template <class T>
void expect_fused(const std::string& dtype, const Fused& layer) {
  constexpr int kHeight = 6, kWidth = 9, kChannels = 32;
  const auto [group, rows, columns] = layer;
  const std::string text = std::to_string(group);
  const std::string pads = std::to_string(rows / 2) + "," + std::to_string(columns / 2);
  const Problem problem =
      problem_of("Convolution " + dtype + " src=1x6x9x32 weights=" + std::to_string(rows) + "x" +
                 std::to_string(columns) + "x" + text +
                 "x32 bias=32 groups=" + std::to_string(kChannels / group) + " pads_begin=" + pads +
                 " pads_end=" + pads + " data_format=NXC weights_format=XIO");
  const auto src = random_values<T>(kHeight * kWidth * kChannels, 1);
  const auto weights =
      random_values<T>(static_cast<std::size_t>(rows * columns * group) * kChannels, 2);
  const auto bias = random_values<T>(kChannels, 3);
  std::vector<double> want;
  for (const auto [oh, ow, oc] : Grid<3>{{kHeight, kWidth, kChannels}}) {
    auto sum = static_cast<T>(bias[static_cast<std::size_t>(oc)]);
    for (const auto [kh, kw, i] : Grid<3>{{rows, columns, group}}) {
      const Extent ih = oh + kh - rows / 2;
      const Extent iw = ow + kw - columns / 2;
      if (ih < 0 || ih >= kHeight || iw < 0 || iw >= kWidth) continue;
      const Extent ic = group == 1 ? oc : i;
      const Extent input = (ih * kWidth + iw) * kChannels + ic;
      const Extent weight = ((kh * columns + kw) * group + i) * kChannels + oc;
      sum = std::fma(static_cast<T>(src[static_cast<std::size_t>(input)]),
                     static_cast<T>(weights[static_cast<std::size_t>(weight)]), sum);
    }
    want.push_back(static_cast<double>(sum));
  }
  for (const Isa isa : supported_isas()) {
    if (isa == Isa::kGeneric) continue;
    EXPECT_EQ(testing::run_dense(problem, {.isa = isa}, src, weights, bias), want)
        << dtype << " " << to_string(isa) << " " << group << " " << rows << "x" << columns;
  }
}

// Plain C++ alone rounds products.
TEST(Sums, AreOfFusedMultiplyAddsInOneOrderWhateverTheInstructionSet) {
  // Tiles of rows and of columns; patches and bands of depthwise outputs.
  for (const Fused& layer :
       {Fused{32, 3, 3}, Fused{32, 1, 7}, Fused{1, 3, 3}, Fused{1, 5, 5}, Fused{1, 1, 9}}) {
    expect_fused<float>("f32", layer);
    expect_fused<double>("f64", layer);
  }
}

// Kernels of one row over images whose rows are short, or would be cut by padding into short tiles.
TEST(Tiles, AreOfColumnsWhereThoseOfRowsWouldBeShort) {
  for (const char* sizes :
       {"src=2x12x5x40 weights=1x5x40x70 bias=70 pads_begin=0,2 pads_end=0,2",
        "src=1x17x9x33 weights=1x15x33x17 pads_begin=0,7 pads_end=0,7",
        "src=1x9x10x700 weights=1x9x700x48 pads_begin=0,4 pads_end=0,4 bias=48",
        "src=1x11x12x64 weights=1x5x32x40 groups=2 pads_begin=1,4 pads_end=2,3 strides=2,2",
        "src=1x2x12x4x36 weights=2x1x5x36x20 pads_begin=1,0,2 pads_end=0,0,2",
        "src=1x9x20x32 weights=1x3x32x16 pads_begin=0,7 pads_end=0,7 dilations=1,7"}) {
    for (const char* dtype : {"f32", "bf16"}) {
      const Problem problem = problem_of("Convolution " + std::string(dtype) + " " + sizes +
                                         " data_format=NXC weights_format=XIO");
      ASSERT_EQ(wrong_anywhere(problem), "") << sizes;
      ASSERT_EQ(wrong_anywhere(problem, 3), "") << sizes;
      if (problem.dtype != Dtype::kF32 || !is_supported(Isa::kAvx512)) continue;
      EXPECT_TRUE(tiling_of(problem, Isa::kAvx512).is_turned) << sizes;
    }
  }
  // Few input channels, one row of outputs, and no padding.
  for (const char* sizes : {"src=1x8x8x8 weights=1x7x8x64 pads_begin=0,3 pads_end=0,3",
                            "src=1x1x8x40 weights=1x7x40x64 pads_begin=0,3 pads_end=0,3",
                            "src=1x8x22x40 weights=1x7x40x64"}) {
    const Problem problem =
        problem_of("Convolution f32 " + std::string(sizes) + " data_format=NXC weights_format=XIO");
    EXPECT_FALSE(tiling_of(problem, Isa::kGeneric).is_turned) << sizes;
    ASSERT_EQ(wrong_anywhere(problem), "") << sizes;
  }
}

// The same where src is staged and dst too: all of an image, its planes, some of its columns;
// before the tasks and by them.
TEST(Tiles, AreOfColumnsOfStagedImages) {
  for (const char* sizes :
       {"src=2x40x12x5 weights=70x40x1x5 bias=70 pads_begin=0,2 pads_end=0,2",
        "src=1x33x17x9 weights=17x33x1x15 pads_begin=0,7 pads_end=0,7",
        "src=1x700x9x10 weights=48x700x1x9 pads_begin=0,4 pads_end=0,4 bias=48",
        "src=1x64x11x12 weights=40x32x1x5 groups=2 pads_begin=1,4 pads_end=2,3 strides=2,2",
        "src=1x36x2x12x4 weights=20x36x2x1x5 pads_begin=1,0,2 pads_end=0,0,2",
        "src=4x64x17x17 weights=24x64x1x15 pads_begin=0,7 pads_end=0,7",
        "src=1x32x100x17 weights=24x32x1x15 pads_begin=0,7 pads_end=0,7"}) {
    for (const char* dtype : {"f32", "f16", "bf16"}) {
      const Problem problem = problem_of("Convolution " + std::string(dtype) + " " + sizes +
                                         " data_format=NCX weights_format=OIX");
      ASSERT_EQ(wrong_anywhere(problem), "") << sizes;
      ASSERT_EQ(wrong_anywhere(problem, 3), "") << sizes;
      if (problem.dtype == Dtype::kBF16 || !is_supported(Isa::kAvx512)) continue;
      const Tiling t = tiling_of(problem, Isa::kAvx512);
      EXPECT_TRUE(t.is_turned && t.stages_src && t.stages_dst) << sizes;
    }
  }
  // Tasks would write parts of columns.
  const Problem tall = problem_of(
      "Convolution f32 src=1x32x2100x7 weights=9x32x1x5 pads_begin=0,2 pads_end=0,2 "
      "data_format=NCX weights_format=OIX");
  EXPECT_FALSE(tiling_of(tall, Isa::kGeneric).is_turned);
  ASSERT_EQ(wrong_anywhere(tall), "");
}

// The tiling in f32 of generic kernels, once every dtype is right on one thread and on three.
Tiling tiling_of_channels_last(const std::string& sizes) {
  const auto problem_in = [&](const std::string& dtype) {
    return problem_of("Convolution " + dtype + " " + sizes + " data_format=NXC weights_format=XIO");
  };
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    EXPECT_EQ(wrong_anywhere(problem_in(dtype)), "") << dtype << " " << sizes;
    EXPECT_EQ(wrong_anywhere(problem_in(dtype), 3), "") << dtype << " " << sizes;
  }
  return tiling_of(problem_in("f32"), Isa::kGeneric);
}

// Weights are read once for a tile of them: images of one pixel, with gaps or without, and columns
// of images that are one pixel wide.
TEST(Tiles, AreOfManyImagesOfOnePixel) {
  for (const char* sizes :
       {"src=40x1x1x18 weights=1x1x18x6", "src=5x1x1x1x40 weights=1x1x1x40x70 bias=70",
        "src=17x1x33 weights=1x33x8 strides=3", "src=9x1x1x32:96x96x96x1 weights=1x1x16x8 groups=2",
        "src=40x1x1x18 weights=1x1x18x6 dst=40x1x1x6:11x11x11x1",
        "src=1x46x1x40 weights=1x1x40x64 strides=3,1", "src=1x1x19x1x6 weights=1x1x1x6x9"}) {
    EXPECT_EQ(tiling_of_channels_last(sizes).rows(), 1) << sizes;
  }
  // Channels first, pixels of all images are not neighbours.
  for (const char* sizes : {"src=7x66x1 weights=32x33x1 bias=32 groups=2",
                            "src=33x33x1 weights=1x33x1 bias=1 strides=2 pads_end=1"}) {
    ASSERT_EQ(wrong_anywhere(problem_of("Convolution f32 " + std::string(sizes) +
                                        " data_format=NCX weights_format=OIX")),
              "");
  }
  // What stride leaves out of an image is staged with it.
  for (const char* sizes :
       {"src=3x1x2x2 weights=1x1x2x8 strides=2,2", "src=2x46x1x40 weights=1x1x40x64 strides=3,3",
        "src=3x17x3x13x3 weights=1x1x1x3x34 strides=1,2,1",
        "src=1x3x2x1x3 weights=1x1x1x3x5 strides=1,3,2"}) {
    for (const char* dtype : {"bf16", "f16"}) {
      const Problem problem = problem_of("Convolution " + std::string(dtype) + " " + sizes +
                                         " data_format=NXC weights_format=XIO");
      ASSERT_EQ(wrong_anywhere(problem), "") << dtype << " " << sizes;
    }
  }
}

// Small images: a tile is the same pixel of several of them, whose windows meet the same padding.
TEST(Tiles, AreOfOnePixelOfAllImages) {
  for (const char* sizes :
       {"src=20x4x4x64 weights=3x3x64x40 pads_begin=1,1 pads_end=1,1",
        "src=33x7x7x64 weights=7x7x64x32 bias=32",
        "src=17x5x3x64 weights=3x3x64x24 strides=2,1 pads_begin=1,0 pads_end=1,1",
        "src=29x6x64 weights=3x64x17 pads_begin=2 pads_end=1",
        "src=26x5x5x128 weights=3x3x64x32 groups=2 dilations=2,1",
        "src=16x3x3x40:900x290x70x1 weights=3x3x40x33 pads_begin=1,1 pads_end=1,1 "
        "dst=16x3x3x33:700x150x40x1",
        "src=14x2x2x700 weights=2x2x700x50 bias=50"}) {
    EXPECT_TRUE(tiling_of_channels_last(sizes).is_of_images) << sizes;
  }
  // Nothing is gained, or images are copied, or have several planes.
  for (const char* line :
       {"src=16x14x14x64 weights=1x1x64x32 data_format=NXC weights_format=XIO",
        "src=20x64x4x4 weights=40x64x3x3 pads_begin=1,1 pads_end=1,1 data_format=NCX "
        "weights_format=OIX",
        "src=20x4x4x4x64 weights=3x3x3x64x40 pads_begin=1,1,1 pads_end=1,1,1 data_format=NXC "
        "weights_format=XIO",
        "src=13x1x5x3x64 weights=1x1x2x32x96 pads_begin=0,2,2 pads_end=2,2,0 dilations=1,2,1 "
        "groups=2 data_format=NXC weights_format=XIO"}) {
    const Problem problem = problem_of("Convolution f32 " + std::string(line));
    ASSERT_EQ(wrong_anywhere(problem), "") << line;
    EXPECT_FALSE(tiling_of(problem, Isa::kGeneric).is_of_images) << line;
  }
}

// Finding the calls of a small problem takes longer than its tiles: they are found when it is
// planned, unless they are many, or tensors are staged.
TEST(TileCalls, ArePlannedWhereTheyAreFew) {
  const auto calls_of = [](const std::string& line) {
    const Problem problem = problem_of("Convolution " + line);
    for (const int threads : {1, 3}) EXPECT_EQ(wrong_anywhere(problem, threads), "") << line;
    const Tiling t = tiling_of(problem, Isa::kGeneric);
    const auto tasks = static_cast<std::size_t>(t.tasks());
    EXPECT_EQ(t.calls_before.size(), t.calls.empty() ? 0 : tasks + 1) << line;
    EXPECT_EQ(t.calls.capacity(), t.calls.size()) << line << ": memory of what is not planned";
    return t.calls.size();
  };
  const std::string last = " data_format=NXC weights_format=XIO";
  EXPECT_EQ(calls_of("f32 src=1x1x1x24 weights=1x1x24x4" + last), 1U);
  EXPECT_GT(calls_of("f32 src=1x7x7x96 weights=3x3x24x40 bias=40 pads_begin=1,1 pads_end=1,1 "
                     "groups=4" +
                     last),
            4U);
  EXPECT_GT(calls_of("f64 src=2x5x6x30 weights=1x1x30x70 strides=2,1" + last), 1U);
  EXPECT_EQ(calls_of("f32 src=1x24x5x5 weights=40x24x3x3 data_format=NCX weights_format=OIX"), 0U);
  EXPECT_EQ(
      calls_of("f32 src=1x6x6x384 weights=3x3x3x384 pads_begin=1,1 pads_end=1,1 groups=128" + last),
      0U);
  const Problem rounded =
      problem_of("Convolution bf16 src=1x5x19x6 weights=2x3x6x40 bias=40" + last);
  EXPECT_EQ(wrong_anywhere(rounded), "");
  if (!is_supported(Isa::kAvx512Bf16)) return;
  EXPECT_FALSE(tiling_of(rounded, Isa::kAvx512Bf16).calls.empty());
}

TEST(TileCalls, OfACopiedPlanNeedNothingOfTheOther) {
  const Problem problem = problem_of(
      "Convolution f32 src=1x4x5x3 weights=3x3x3x8 pads_begin=1,1 pads_end=1,1 data_format=NXC "
      "weights_format=XIO");
  Plan planned = *make_plan(problem, {});
  const Plan copy = planned;
  ASSERT_FALSE(copy.as<Tiling>()->calls.empty());
  for (auto& runs : std::get<Tiling>(planned.algorithm).runs) runs.clear();
  const std::vector<float> src(4 * 5 * 3, 1), weights(3 * 3 * 3 * 8, 1);
  std::vector<float> dst(4 * 5 * 8);
  std::vector<std::byte> workspace(copy.workspace_bytes + 1);
  execute(copy, pack(copy, weights.data(), nullptr), src.data(), dst.data(), workspace.data());
  EXPECT_EQ(dst[0], 12) << "a corner, four taps";
  EXPECT_EQ(dst[(1 * 5 + 1) * 8], 27) << "in the middle, nine taps";
}

// Elements of src that calls read, in the order of the calls, for the first time.
class ReadElements {
 public:
  /// Of a src that begins so many bytes after a line.
  ReadElements(std::size_t elements, Extent in_line)
      : in_line_(in_line),
        src_(reinterpret_cast<const std::byte*>((Extent{1} << 40) + in_line)),
        cached_(elements),
        read_(elements) {}

  /// Counts what the call reads, and then what it prefetches of src.
  void add(const Tiling& t, const PlannedCall& planned, bool is_first_row) {
    const TileCall& call = planned.call;
    const auto& runs = t.runs[planned.of_last_block ? 1 : 0][planned.segment];
    const Extent pixels = t.segments[planned.segment].pixels;
    for (Extent kd = 0; kd < call.depth_taps; ++kd) {
      for (Extent kh = 0; kh < call.row_taps; ++kh) {
        for (const Run& run : runs) {
          const Extent first = planned.places.src / 4 + call.src_offset + kd * call.src_depth_tap +
                               kh * call.src_row_tap;
          for (Extent m = 0; m < call.tiles * pixels; ++m) {
            const bool is_left_out =
                m % pixels < run.left_out || m % pixels >= pixels + run.left_out;
            for (Extent row = 0; row < call.rows && !is_left_out; ++row) {
              read(first + row * call.src_row + run.src + m * call.src_pixel, run.length,
                   is_first_row);
            }
          }
        }
      }
    }
    if (planned.places.ahead.of == Places::Ahead::kSrc) prefetch(planned);
  }

  /// Of what rows after the first one read, what had been prefetched.
  double covered() const { return found_ / (found_ + missed_); }
  /// What was prefetched, as parts of all that is read.
  double prefetched() const {
    return prefetched_ / static_cast<double>(std::count(read_.begin(), read_.end(), true));
  }

 private:
  void read(Extent first, Extent count, bool is_first_row) {
    for (Extent at = first; at < first + count; ++at) {
      const auto element = static_cast<std::size_t>(at);
      if (!read_.at(element) && !is_first_row) ++(cached_[element] ? found_ : missed_);
      read_[element] = cached_[element] = true;
    }
  }

  // Of lines that steps skip, whole ones, as processors do.
  void prefetch(const PlannedCall& planned) {
    constexpr Extent kLine = 64;
    TileCall call = planned.call;
    PrefetchRange range{};
    Addresses tensors{};
    tensors.src = src_;
    planned.places.set(tensors, &call, &range);
    const auto* const src = reinterpret_cast<const char*>(src_);
    const bool skips_lines = range.step > kLine;
    for (Extent r = 0; r <= range.more; ++r) {
      for (Extent at = range.at - src; at < range.end - src; at += std::max(range.step, kLine)) {
        const Extent begin = at - (skips_lines ? (at + in_line_) % kLine : 0);
        const Extent end = skips_lines ? begin + kLine : std::min(begin + kLine, range.end - src);
        prefetch_bytes(begin + r * range.to_next, end + r * range.to_next);
      }
    }
  }

  void prefetch_bytes(Extent first_byte, Extent end_byte) {
    const Extent first = std::max<Extent>(first_byte / 4, 0);
    const Extent end = std::min(end_byte / 4, static_cast<Extent>(cached_.size()));
    for (Extent at = first; at < end; ++at) cached_[static_cast<std::size_t>(at)] = true;
    prefetched_ += static_cast<double>(std::max<Extent>(end - first, 0));
  }

  const Extent in_line_;
  const std::byte* src_;
  std::vector<bool> cached_, read_;
  double found_ = 0, missed_ = 0, prefetched_ = 0;
};

ReadElements read_by(const std::string& line, Extent src_block, Extent cache = 0,
                     Extent in_line = 0) {
  const Problem problem =
      problem_of("Convolution f32 " + line + " data_format=NXC weights_format=XIO");
  Target target = kZen5;
  target.second.bytes = cache;
  target.blocks.src = src_block;
  const auto plan = make_plan(problem, {.isa = Isa::kGeneric, .target = &target});
  const Tiling& t = *plan->as<Tiling>();
  EXPECT_TRUE(t.prefetches_src) << line;
  EXPECT_FALSE(t.calls.empty()) << line;
  ReadElements elements(static_cast<std::size_t>(src_elements(t.view)), in_line);
  const Extent first_dst = t.calls.front().places.dst;
  const Extent rows = t.calls.front().call.rows;
  const bool joins_rows =
      std::any_of(t.calls.begin(), t.calls.end(),
                  [](const PlannedCall& planned) { return planned.call.rows > 1; });
  EXPECT_EQ(joins_rows, cache > 0) << line;
  for (const PlannedCall& planned : t.calls) {
    const Extent bytes = rows * t.view.O[2] * t.view.dst.spatial[2] * 4;
    elements.add(t, planned, planned.places.dst < first_dst + bytes);
  }
  return elements;
}

// Rows, planes and images after the first row find what is new to them in the cache; what they have
// in common with those before is prefetched again only where it is too much to be still there.
// So do calls of several rows.
TEST(TileCalls, PrefetchWhatTheNextRowReads) {
  const auto expect = [](const std::string& line, double covered, double most_prefetched,
                         Extent cache = 0) {
    const ReadElements once = read_by(line, Extent{1} << 20, cache);
    EXPECT_GE(once.covered(), covered) << line;
    EXPECT_LE(once.prefetched(), most_prefetched) << line;
    return read_by(line, 0, cache).prefetched() / once.prefetched();
  };
  EXPECT_DOUBLE_EQ(expect("src=2x20x20x8 weights=3x3x8x4", 0.9, 1), 1);
  EXPECT_DOUBLE_EQ(expect("src=2x21x21x8 weights=3x3x8x4 strides=2,2", 0.9, 1), 1);
  EXPECT_DOUBLE_EQ(expect("src=2x9x9x8 weights=3x3x8x4 pads_begin=1,1 pads_end=1,1", 0.9, 1.1), 1);
  EXPECT_GT(expect("src=1x6x12x12x8 weights=3x3x3x8x4", 0.8, 1), 2);
  EXPECT_GT(expect("src=2x9x13x13x8 weights=3x3x3x8x4 strides=2,2,2", 0.85, 1), 1.2);
  EXPECT_GT(expect("src=1x5x10x10x8 weights=3x3x3x8x4 pads_begin=1,1,1 pads_end=1,1,1", 0.85, 1.2),
            1.8);
  EXPECT_GT(expect("src=1x9x9x9x8 weights=3x1x3x8x4 strides=2,1,1", 0.75, 1), 1.2);
  EXPECT_DOUBLE_EQ(expect("src=1x90x10x4 weights=3x3x4x4", 0.9, 1, 10 << 10), 1) << "4 rows";
  EXPECT_DOUBLE_EQ(expect("src=2x71x10x4 weights=3x3x4x4 strides=2,2", 0.9, 1.1, 11 << 10), 1);
  EXPECT_GT(expect("src=1x6x40x8x4 weights=3x3x3x4x4", 0.8, 1, 16 << 10), 2);
  EXPECT_DOUBLE_EQ(
      expect("src=4x40x8x4 weights=3x3x4x4 pads_begin=1,1 pads_end=1,1", 0.9, 1.1, 16 << 10), 1);
  EXPECT_GT(expect("src=1x6x40x8x4 weights=3x3x3x4x4 pads_begin=1,1,1 pads_end=1,1,1", 0.8, 1.2,
                   16 << 10),
            1.8);
}

// Of groups, whose pixels are parts of those of src, lines of each pixel.
TEST(TileCalls, PrefetchWhatTheNextRowReadsOfAGroup) {
  for (const char* line : {"src=2x15x20x64 weights=3x3x16x16 groups=4",
                           "src=3x11x11x64 weights=5x5x32x8 pads_begin=2,2 pads_end=2,2 groups=2",
                           "src=2x21x21x72 weights=3x3x24x12 strides=2,2 groups=3",
                           "src=2x9x15x60 weights=3x3x20x12 pads_begin=1,1 pads_end=1,1 groups=3",
                           "src=2x15x15x75 weights=3x3x25x9 groups=3"}) {
    for (const Extent in_line : {0, 16}) {
      const ReadElements elements = read_by(line, Extent{1} << 20, 0, in_line);
      EXPECT_EQ(elements.covered(), 1) << line << ", " << in_line;
      EXPECT_LE(elements.prefetched(), 2.5) << line << ", " << in_line;
    }
  }
}

// Calls of several rows, between padding, planes and images, prefetch as they compute.
TEST(TileCalls, OfSeveralRowsAreRight) {
  for (const char* line :
       {"src=1x90x10x4 weights=3x3x4x4", "src=2x71x10x4 weights=3x3x4x20 strides=2,2",
        "src=4x40x8x4 weights=3x3x4x4 bias=4 pads_begin=1,1 pads_end=1,1",
        "src=2x6x40x8x4 weights=3x3x3x4x4 pads_begin=1,1,1 pads_end=1,1,1",
        "src=2x40x10x12 weights=3x3x6x10 pads_begin=1,1 pads_end=1,1 groups=2",
        "src=3x30x20 weights=1x10x8 bias=8 groups=2",
        "src=1x6x41x40x1 weights=3x3x3x1x11 strides=1,2,2 pads_begin=1,1,1 pads_end=1,1,1"}) {
    for (const char* dtype : {"f32", "bf16", "f64"}) {
      testing::Trial trial(problem_of("Convolution " + std::string(dtype) + " " + line +
                                      " data_format=NXC weights_format=XIO"));
      for (const Target* of : all_targets()) {
        Target target = *of;
        target.second.bytes = 10 << 10;
        for (const Isa isa : testing::supported_isas()) {
          for (const int threads : {1, 3}) {
            EXPECT_EQ(trial.run({.threads = threads, .isa = isa, .target = &target}), "")
                << target.name << " " << to_string(isa) << " " << line;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace concord::optimized
