// SPDX-License-Identifier: Apache-2.0
#include "optimized/targets/target.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "optimized/convolution.h"
#include "optimized/direct/tile_choice.h"
#include "optimized/testing/trial.h"

namespace concord::optimized {
namespace {

using testing::problem_of;
using testing::Trial;

Processor processor_of(const std::string& vendor, unsigned family, Isa isa) {
  Processor processor{.family = family, .isa = isa};
  vendor.copy(processor.vendor, sizeof(processor.vendor) - 1);
  return processor;
}

void expect_right_for_all_targets(Trial* trial, const char* line) {
  for (const Target* target : all_targets()) {
    for (const Isa isa : testing::supported_isas()) {
      for (const int threads : {1, 3}) {
        EXPECT_EQ(trial->run({.threads = threads, .isa = isa, .target = target}), "")
            << target->name << " " << to_string(isa) << " " << line;
      }
    }
  }
}

TEST(Target, CachesAreWholeAndBlocksFitThem) {
  std::set<std::string> names;
  for (const Target* target : all_targets()) {
    const Target& t = *target;
    EXPECT_TRUE(names.insert(t.name).second) << t.name;
    EXPECT_EQ(t.first.bytes, t.first.sets * t.first.ways * t.line_bytes) << t.name;
    EXPECT_EQ(t.second.bytes, t.second.sets * t.second.ways * t.line_bytes) << t.name;
    const Blocks& b = t.blocks;
    for (const Extent bytes : {b.near_weights, b.matrix_panels, b.prefetched_src}) {
      EXPECT_TRUE(0 < bytes && bytes <= t.first.bytes) << t.name << " " << bytes;
    }
    for (const Extent bytes : {b.src + b.near_layer, b.panel, b.src_box, b.staged_dst, b.kept_dst,
                               b.kept_groups, b.near_pixels, b.far_pixels, b.near_rows,
                               b.task_pixels, b.matrix_slab, b.matrix_weights, b.transformed}) {
      EXPECT_TRUE(0 < bytes && bytes < t.second.bytes) << t.name << " " << bytes;
    }
    const TileCosts& c = t.tiles;
    for (const double cost : {c.pixel_byte, c.kept_byte, c.far_byte, c.loop, c.part, c.reload,
                              c.tile, c.store, c.turning, t.core.multiply_adds, t.matrix.pixel}) {
      EXPECT_GE(cost, 0) << t.name;
    }
    EXPECT_LE(c.kept_byte, c.far_byte) << t.name;
    EXPECT_LE(c.reload, c.crowded_reload) << t.name;
    EXPECT_LE(c.store, c.store_of_part) << t.name;
  }
}

TEST(Target, IsFoundByItsName) {
  for (const Target* target : all_targets()) EXPECT_EQ(find_target(target->name), target);
  EXPECT_EQ(find_target("zen"), nullptr);
  EXPECT_EQ(target_names().substr(0, 10), "zen5, zen4");
}

// Whatever processor this is: tiles of rows, of columns, of pixels that share a set of the cache
// and of one pixel of all images; patches and bands; and both layouts.
TEST(Target, HasPlansThatAreRight) {
  for (const char* line :
       {"src=2x9x20x40 weights=3x3x40x70 bias=70 pads_begin=1,1 pads_end=1,1",
        "src=1x12x12x48 weights=1x15x48x40 pads_begin=0,7 pads_end=0,7",
        "src=1x5x29x1024 weights=1x1x32x96 groups=32 bias=96",
        "src=1x3x30x1024 weights=3x3x1024x20 pads_begin=1,1 pads_end=1,1",
        "src=19x4x4x64 weights=3x3x64x40 pads_begin=1,1 pads_end=1,1",
        "src=1x64x64x3 weights=3x3x3x40 strides=2,2 pads_begin=1,1 pads_end=1,1",
        "src=2x15x17x72 weights=3x3x1x72 groups=72 pads_begin=1,1 pads_end=1,1",
        "src=1x14x14x512 weights=3x3x1x512 groups=512 strides=2,2 pads_begin=1,1 pads_end=1,1",
        "src=1x9x13x256 weights=3x3x1x256 groups=256 strides=2,2 pads_begin=1,1 pads_end=1,1",
        "src=1x9x23x50 weights=5x5x1x50 groups=50 dilations=2,2 pads_begin=4,4 pads_end=4,4",
        "src=2x9x15x64 weights=1x1x8x64 groups=8 bias=64",
        "src=1x9x15x64 weights=3x3x8x64 groups=8 pads_begin=1,1 pads_end=1,1"}) {
    for (const char* dtype : {"f32", "bf16", "f64"}) {
      Trial trial(problem_of("Convolution " + std::string(dtype) + " " + line +
                             " data_format=NXC weights_format=XIO"));
      expect_right_for_all_targets(&trial, line);
    }
  }
  for (const char* line :
       {"src=2x300x9x21 weights=40x300x1x1 bias=40",
        "src=1x3x40x40 weights=20x3x3x3 strides=2,2 pads_begin=1,1 pads_end=1,1",
        "src=1x40x15x17 weights=40x1x3x3 groups=40 pads_begin=1,1 pads_end=1,1"}) {
    Trial trial(
        problem_of("Convolution f32 " + std::string(line) + " data_format=NCX weights_format=OIX"));
    expect_right_for_all_targets(&trial, line);
  }
}

TEST(Target, FollowsFromTheProcessorAndTheKernels) {
#if defined(__x86_64__)
  const Target& rest = kX86;
  const Target& narrow = kX86Avx2;
#else
  const Target& rest = kAarch64;
  const Target& narrow = kAarch64;
#endif
  const auto name = [](const Processor& processor, Isa isa) {
    return std::string(target_for(processor, isa).name);
  };
  const Processor zen5 = processor_of("AuthenticAMD", 0x1a, Isa::kAvx512Bf16);
  EXPECT_EQ(name(zen5, Isa::kAvx512Bf16), "zen5");
  EXPECT_EQ(name(zen5, Isa::kAvx512), "zen5");
  EXPECT_EQ(name(zen5, Isa::kAvx2), narrow.name);
  Processor xeon = processor_of("GenuineIntel", 6, Isa::kAmx);
  xeon.second_level_bytes = 2048 << 10;
  EXPECT_EQ(name(xeon, Isa::kAmx), "sapphire_rapids");
  EXPECT_EQ(name(xeon, Isa::kGeneric), narrow.name);
  xeon.isa = Isa::kAvx512Bf16;  // a virtual machine without AMX
  EXPECT_EQ(name(xeon, Isa::kAvx512Bf16), "sapphire_rapids");
  xeon.second_level_bytes = 1024 << 10;  // Cooper Lake
  EXPECT_EQ(name(xeon, Isa::kAvx512Bf16), rest.name);
  EXPECT_EQ(name(processor_of("GenuineIntel", 6, Isa::kAvx512), Isa::kAvx512), rest.name);
  EXPECT_EQ(name(processor_of("AuthenticAMD", 0x19, Isa::kAvx512Bf16), Isa::kAvx512), "zen4");
  Processor zen = processor_of("AuthenticAMD", 0x19, Isa::kAvx2);
  zen.second_level_bytes = 512 << 10;
  EXPECT_EQ(name(zen, Isa::kAvx2), "zen3");
  EXPECT_EQ(name(zen, Isa::kGeneric), narrow.name);
  zen.second_level_bytes = 1024 << 10;  // Zen 4 on a host that hides AVX-512
  EXPECT_EQ(name(zen, Isa::kAvx2), narrow.name);
  EXPECT_EQ(name({}, Isa::kGeneric), narrow.name);
}

TEST(Target, IsThatOfThisProcessor) {
  const auto plan = make_plan(
      problem_of("Convolution f32 src=1x3x8x8 weights=4x3x3x3 data_format=NCX weights_format=OIX"));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->target, &target_for(this_processor(), plan->isa));
  EXPECT_NE(describe(*plan).find("target    " + std::string(plan->target->name)), std::string::npos)
      << describe(*plan);
#if defined(__x86_64__)
  EXPECT_EQ(std::string(this_processor().vendor).size(), 12U);
  EXPECT_GT(this_processor().family, 0U);
#endif
}

// What A decides by another target.
template <class A>
A planned(const Problem& problem, const Target& target, int threads = 1) {
  const auto plan = make_plan(problem, {.threads = threads});
  const Context& made = *plan;
  Context context = made;
  context.target = &target;
  return *A::make(context, {});
}

// Tiles of more pixels than long sums have, where kernels have such tiles of one vector.
TEST(Target, GivesLargeTilesToShortSumsWhosePixelsAreNotCrowded) {
  const auto tile_of = [](const std::string& rest) {
    const auto tiling = planned<Tiling>(
        problem_of("Convolution f32 " + rest + " data_format=NXC weights_format=XIO"), kZen5);
    EXPECT_EQ(tiling.vectors, 1) << rest;
    EXPECT_EQ(tiling.channel_blocks(), 1) << rest;
    return tiling;
  };
  const Tiling large = tile_of("src=1x56x56x64 weights=1x1x64x4");
  EXPECT_EQ(large.largest_tile(), large.family->max_pixels[1]);
  // A single pass, as with smaller tiles: a second one would not be of short sums.
  tile_of("src=1x56x56x500 weights=1x1x500x4");
  for (const char* small : {"src=1x28x28x656 weights=1x1x656x4",       // too many bytes of weights
                            "src=1x42x42x8 weights=7x7x4x4 groups=2",  // too many runs
                            "src=1x28x28x512 weights=1x1x512x4"}) {    // pixels in two places
    EXPECT_LE(tile_of(small).largest_tile(), kMaxPixelsOfLongSums) << small;
  }
}

TEST(Target, DecidesHowLayersAreCut) {
  const Problem dense = problem_of(
      "Convolution f32 src=1x14x14x512 weights=3x3x512x512 data_format=NXC weights_format=XIO");
  Target other = kZen5;
  const auto usual = planned<Tiling>(dense, kZen5);
  other.blocks.panel /= 2;
  EXPECT_LT(planned<Tiling>(dense, other).channel_block, usual.channel_block);
  other = kZen5;
  other.tiles.store = other.tiles.store_of_part = 1e9;
  other.tiles.tile = 0;
  other.tiles.pixel_byte = 1e9;  // pixels are read once for all vectors of a tile
  EXPECT_GE(planned<Tiling>(dense, other).vectors, usual.vectors);
  other.tiles.pixel_byte = 0;
  other.tiles.kept_byte = other.tiles.far_byte = 1e9;  // and weights once for all its pixels
  EXPECT_LE(planned<Tiling>(dense, other).vectors, usual.vectors);

  const Problem depthwise = problem_of(
      "Convolution f32 src=1x56x56x4096 weights=7x7x1x4096 pads_begin=3,3 pads_end=3,3 groups=4096 "
      "data_format=NXC weights_format=XIO");
  other = kZen5;
  other.blocks.near_rows /= 4;
  other.first.ways = 4;
  EXPECT_LT(planned<Grouping>(depthwise, other).chunk, planned<Grouping>(depthwise, kZen5).chunk);
  const auto rows = [](const Target& target) {
    return planned<Grouping>(
               problem_of("Convolution f32 src=1x56x56x96 weights=7x7x1x96 pads_begin=3,3 "
                          "pads_end=3,3 groups=96 data_format=NXC weights_format=XIO"),
               target)
        .rows_per_call;
  };
  other.first.sets = 16;
  EXPECT_LT(rows(other), rows(kZen5));
}

TEST(Target, DecidesHowDepthwiseBandsAreCut) {
  Target target = kZen5;
  target.core.band_vectors = 2;
  target.core.band_rows = 8;
  const auto bands_of = [&](const std::string& rest, int threads = 1) {
    return planned<Grouping>(
        problem_of("Convolution " + rest + " data_format=NXC weights_format=XIO"), target, threads);
  };
  const std::string crowded =
      "src=1x14x14x512 weights=5x5x1x512 pads_begin=2,2 pads_end=2,2 groups=512";
  const Grouping g = bands_of("f32 " + crowded);
  const bool reads_lines = g.family->lanes * g.element_bytes() == target.line_bytes;
  EXPECT_TRUE(g.by_bands);
  const bool together = g.family->vectors_together > 1;
  EXPECT_EQ(g.vectors_at_once, reads_lines || together ? 2 : 1);
  EXPECT_EQ(g.rows_per_call, 8);
  EXPECT_EQ(bands_of("f32 " + crowded, 4).bands(), 4) << "one for each thread, of 14 rows";
  EXPECT_EQ(bands_of("f32 src=1x21x21x64 weights=5x5x1x64 pads_begin=2,2 pads_end=2,2 groups=64", 2)
                .bands(),
            4)
      << "three would be two of one thread, and one of the other";
  EXPECT_EQ(
      bands_of("f64 " + crowded).rows_per_call,
      planned<Grouping>(
          problem_of("Convolution f64 " + crowded + " data_format=NXC weights_format=XIO"), kZen5)
          .rows_per_call);
  const auto vectors_of = [&](const std::string& images) {
    return bands_of("f32 src=" + images + "x65x65x128 weights=3x3x1x128 dilations=2,2 groups=128")
        .vectors_at_once;
  };
  EXPECT_EQ(vectors_of("1"), reads_lines ? 2 : 1);
  EXPECT_EQ(vectors_of("4"), 1) << "from memory";
  // Rows of few outputs and few taps.
  const auto vectors_of_few = [&](const std::string& rest) {
    return planned<Grouping>(
               problem_of("Convolution " + rest + " groups=128 data_format=NXC weights_format=XIO"),
               kZen5)
        .vectors_at_once;
  };
  for (const std::string dtype : {"f32", "bf16", "f64"}) {
    const int of_few = together && dtype != "bf16" ? 2 : (reads_lines ? 4 : 1);
    const int of_more = together && dtype != "bf16" ? 2 : 1;
    EXPECT_EQ(vectors_of_few(dtype + " src=1x5x5x128 weights=3x3x1x128"), of_few);
    EXPECT_EQ(vectors_of_few(dtype + " src=1x6x6x128 weights=3x3x1x128"), 1) << "four outputs";
    EXPECT_EQ(vectors_of_few(dtype + " src=1x7x7x128 weights=5x5x1x128"), of_more) << "five taps";
  }
  // What is dilated and comes from far.
  EXPECT_EQ(bands_of("f32 src=1x65x65x1280 weights=3x3x1x1280 pads_begin=6,6 pads_end=6,6 "
                     "dilations=6,6 groups=1280")
                .rows_per_call,
            2);
}

// The plan of a depthwise layer in f32. Pixels of 256 channels lie in four places of the
// first-level cache, of 512 in two and of 1024 in one.
Grouping depthwise_of(const std::string& image, int channels, const std::string& rest,
                      const Options& options) {
  const std::string c = std::to_string(channels);
  const Problem problem = problem_of("Convolution f32 src=" + image + "x" + c + " weights=" + rest +
                                     " groups=" + c + " data_format=NXC weights_format=XIO");
  return *make_plan(problem, options)->as<Grouping>();
}

std::string taps(const std::string& extents, int channels, const std::string& rest = "") {
  return extents + "x1x" + std::to_string(channels) + rest;
}

// Vectors of plain C++ are quarters of a line.
TEST(Target, ReadsPartsOfCrowdedLinesTogetherOrCopiesThem) {
  const auto grouping = [](const std::string& images, int channels, const std::string& extents,
                           const std::string& rest = "") {
    return depthwise_of(images + "x14x14", channels, taps(extents, channels, rest),
                        {.isa = Isa::kGeneric, .target = &kZen4});
  };
  const Grouping whole = grouping("1", 1024, "3x3", " strides=2,2");
  EXPECT_EQ(whole.vectors_at_once, 4);
  EXPECT_EQ(whole.rows_per_call, 1);
  EXPECT_EQ(whole.spread_pixel, 0);
  EXPECT_TRUE(grouping("64", 512, "3x3", " strides=2,2").by_bands) << "from memory, too";
  EXPECT_TRUE(grouping("1", 256, "3x3", " strides=2,2").by_patches) << "four places";
  const Grouping copied = grouping("1", 1024, "3x3");
  EXPECT_GT(copied.spread_pixel, 0) << "stride 1";
  EXPECT_LT(copied.call_channels, copied.chunk);
  EXPECT_EQ(copied.spread_rows, 14) << "each row once";
  EXPECT_TRUE(grouping("16", 1024, "5x5").prefetches_bands) << "the next channels";
  EXPECT_EQ(grouping("1", 1024, "3x3", " strides=2,1").vectors_at_once, 1);
}

TEST(Target, DecidesHowCrowdedPixelsAreRead) {
  if (!is_supported(Isa::kAvx512)) return;
  const auto grouping = [](const std::string& images, int channels, const std::string& extents,
                           const std::string& rest = "", const Target* target = &kZen4) {
    return depthwise_of(images + "x14x14", channels, taps(extents, channels, rest),
                        {.isa = Isa::kAvx512, .target = target});
  };
  const Grouping whole = grouping("1", 1024, "3x3", " strides=2,2");
  EXPECT_TRUE(whole.by_bands);
  EXPECT_EQ(whole.vectors_at_once, 4);
  EXPECT_EQ(whole.rows_per_call, 1);
  EXPECT_EQ(grouping("1", 512, "3x3", " strides=2,2").rows_per_call, 2) << "two places";
  EXPECT_TRUE(grouping("64", 512, "3x3", " strides=2,2").by_patches) << "from memory";
  EXPECT_EQ(grouping("1", 512, "3x3", " dilations=2,2").vectors_at_once, 4) << "one place";
  EXPECT_EQ(grouping("1", 256, "3x3", " dilations=2,2").vectors_at_once, 2) << "two places";
  // Copied where many rows of taps read it.
  EXPECT_GT(grouping("1", 1024, "5x5").spread_pixel, 0);
  EXPECT_EQ(grouping("1", 1024, "5x5").vectors_at_once, 1) << "they do not crowd in the copy";
  EXPECT_GT(grouping("1", 1024, "5x5", " strides=2,2").spread_pixel, 0);
  EXPECT_GT(grouping("1", 512, "5x5").spread_pixel, 0);
  EXPECT_EQ(grouping("1", 512, "5x5", " strides=2,2").spread_pixel, 0);
  EXPECT_EQ(grouping("1", 256, "5x5").spread_pixel, 0) << "four places";
  Target measured = kZen4;
  measured.core.band_vectors = 2;
  measured.core.band_rows = 8;
  EXPECT_EQ(grouping("1", 1024, "5x5", "", &measured).spread_pixel, 0)
      << "it says how to cut bands";
  EXPECT_EQ(grouping("1", 1024, "3x3").spread_pixel, 0);
  // Prefetching pays where pixels do not lie in one place.
  EXPECT_TRUE(grouping("16", 1024, "3x3").by_patches);
  EXPECT_FALSE(grouping("16", 1024, "3x3").prefetches_bands);
  EXPECT_TRUE(grouping("16", 1056, "3x3").prefetches_bands);
}

// Two vectors of AVX2 are a line: kernels read both of them together.
TEST(Target, ReadsLinesOfTwoVectorsTogether) {
  if (!is_supported(Isa::kAvx2)) return;
  const auto grouping = [](const std::string& image, int channels, const std::string& extents,
                           const std::string& rest = "") {
    return depthwise_of(image, channels, taps(extents, channels, rest),
                        {.isa = Isa::kAvx2, .target = &kZen3});
  };
  const auto rows_of = [&](const std::string& image, int channels, const std::string& rest) {
    const Grouping g = grouping(image, channels, "3x3", rest);
    EXPECT_TRUE(g.by_patches);
    EXPECT_EQ(g.spread_pixel, 0);
    return g.rows_per_call;
  };
  EXPECT_EQ(rows_of("1x29x29", 128, ""), 2);
  EXPECT_EQ(rows_of("1x28x28", 256, ""), 1)
      << "4 rows of 8 pixels and 2 of 6 are more than 4 places hold";
  EXPECT_EQ(rows_of("1x14x14", 512, ""), 1);
  EXPECT_EQ(rows_of("1x14x14", 512, " strides=2,2"), 2) << "one after the other";
  EXPECT_EQ(rows_of("32x56x56", 72, " strides=2,2"), 1) << "from far";
  const auto vectors_of = [&](const std::string& image, int channels, const std::string& extents,
                              const std::string& rest = "") {
    const Grouping g = grouping(image, channels, extents, rest);
    EXPECT_TRUE(g.by_bands);
    return g.vectors_at_once;
  };
  EXPECT_EQ(vectors_of("1x28x28", 240, "5x5"), 1) << "weights stay in registers";
  EXPECT_EQ(vectors_of("1x14x14", 384, "7x7"), 2) << "7 rows of 14 pixels crowd 8 places";
  EXPECT_EQ(vectors_of("1x28x28", 512, "3x3", " dilations=2,2"), 2);
  EXPECT_EQ(vectors_of("16x83x83", 44, "5x5"), 1) << "from far, too";
  EXPECT_EQ(vectors_of("1x7x7", 240, "5x5"), 2) << "three outputs";
  EXPECT_GT(grouping("1x14x14", 512, "7x7").spread_pixel, 0) << "many rows are copied";
  EXPECT_EQ(vectors_of("1x14x14", 512, "7x7"), 1) << "they do not crowd in the copy";
}

TEST(Target, DecidesWhatIsPrefetched) {
  const Problem pointwise = problem_of(
      "Convolution f32 src=1x300x100x16 weights=1x1x16x16 data_format=NXC weights_format=XIO");
  Target other = kZen5;
  EXPECT_TRUE(planned<Tiling>(pointwise, other).prefetches_src);
  EXPECT_TRUE(planned<Tiling>(pointwise, other).prefetches_dst);
  other.second.bytes *= 2;
  EXPECT_FALSE(planned<Tiling>(pointwise, other).prefetches_src);
  EXPECT_TRUE(planned<Tiling>(pointwise, other).prefetches_dst);
  other.second.bytes *= 2;
  EXPECT_FALSE(planned<Tiling>(pointwise, other).prefetches_dst);
  const auto reads_ahead = [](const std::string& channels) {
    return planned<Grouping>(problem_of("Convolution f32 src=1x57x57x" + channels +
                                        " weights=3x3x1x" + channels + " groups=" + channels +
                                        " strides=2,2 dilations=2,2 data_format=NXC "
                                        "weights_format=XIO"),
                             kZen5)
        .prefetches_src;
  };
  EXPECT_TRUE(reads_ahead("16"));
  EXPECT_FALSE(reads_ahead("1024"));
  const auto bands = [](const std::string& pixels, const Target& target = kZen5) {
    return planned<Grouping>(problem_of("Convolution f32 src=1x" + pixels +
                                        "x128 weights=5x5x1x128 groups=128 data_format=NXC "
                                        "weights_format=XIO"),
                             target)
        .prefetches_bands;
  };
  EXPECT_TRUE(bands("200x200"));
  EXPECT_FALSE(bands("100x100"));
  const auto patches = [](const std::string& rest) {
    return planned<Grouping>(problem_of("Convolution f32 src=1x200x100x128 weights=3x3x1x128 "
                                        "groups=128 data_format=NXC weights_format=XIO" +
                                        rest),
                             kZen5);
  };
  EXPECT_TRUE(patches("").by_patches && patches("").prefetches_bands);
  EXPECT_TRUE(patches(" strides=2,2").by_patches) << "10 MB";
  EXPECT_FALSE(patches(" strides=2,2").prefetches_bands);
  EXPECT_FALSE(bands("200x200", kSapphireRapids));
}

TEST(Target, DecidesHowFarApartRowsOfWeightsLie) {
  const auto row = [](int channels, const std::string& image, const Target& target) {
    const std::string c = std::to_string(channels);
    return planned<PointwiseNcx>(
               problem_of("Convolution f32 src=1x" + c + "x" + image + " weights=28x" + c +
                          "x1x1 data_format=NCX weights_format=OIX"),
               target)
        .packed_row;
  };
  Target target = kZen4;
  target.tiles.pixels_of_a_set = 1;
  EXPECT_EQ(row(1024, "4x4", target), 1024 + 16) << "an odd number of lines";
  EXPECT_EQ(row(1024, "16x16", target), 1024 + 16);
  EXPECT_EQ(row(1040, "4x4", target), 1040);
  target.tiles.pixels_of_a_set = 14;
  EXPECT_EQ(row(1024, "4x4", target), 1024) << "all of them fit a set";
}

// 28 pixels of src and as many of dst that are 1024 bytes apart do not fit four sets of eight
// lines.
TEST(Target, DecidesHowManyPixelsOfGroupsTilesHave) {
  const auto largest = [](const std::string& src, const Target& target) {
    const Tiling t = planned<Tiling>(problem_of("Convolution f32 src=" + src +
                                                "x256 weights=1x1x16x256 groups=16 "
                                                "data_format=NXC weights_format=XIO"),
                                     target);
    return std::pair(t.largest_tile(), t.family->max_pixels[t.vectors]);
  };
  EXPECT_LE(largest("1x28x28", kZen4).first, kMaxPixelsOfLongSums);
  const auto [far, most] = largest("1x56x56", kZen4);
  EXPECT_EQ(far, most) << "dst comes from far";
  Target other = kZen4;
  other.tiles.pixels_of_a_set = 16;
  EXPECT_EQ(largest("1x28x28", other).first, most);
}

TEST(Target, DecidesHowTilesWriteDst) {
  const std::string rest = "x1 weights=7x1x256 data_format=NXC weights_format=XIO";
  const Problem near = problem_of("Convolution f32 src=1x20" + rest);
  const Problem far = problem_of("Convolution f32 src=1x16000" + rest);
  Target other = kZen5;
  ASSERT_FALSE(planned<Tiling>(near, other).calls.empty());
  EXPECT_EQ(planned<Tiling>(near, other).calls[0].call.whole_stores, 0);
  other.core.whole_stores = true;
  EXPECT_EQ(planned<Tiling>(near, other).calls[0].call.whole_stores, 1);
  const Extent panels = planned<Tiling>(near, other).panels;
  for (double Core::*const cost : {&Core::far_piece, &Core::far_panel}) {
    Target costly = other;
    costly.core.*cost = 1000;
    EXPECT_EQ(planned<Tiling>(near, costly).panels, panels);
    const Tiling few = planned<Tiling>(far, costly);
    for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
      if (few.family->max_pixels[vectors] == 0) continue;
      EXPECT_LE(few.panels, parts_of(few.padded_ocg() / few.lanes(), vectors))
          << "as few as can be";
    }
  }
}

TEST(Target, KeepsAPanelBesideTheSrcOfAStrip) {
  const auto channels = [](const std::string& strides) {
    const Problem layer =
        problem_of("Convolution f32 src=1x4000x512 weights=16x512x512 strides=" + strides +
                   " data_format=NXC weights_format=XIO");
    return planned<Tiling>(layer, kZen5).channel_block;
  };
  EXPECT_LT(channels("8"), channels("1"));
  EXPECT_LT(channels("16"), channels("8"));
  EXPECT_EQ(channels("32"), channels("16")) << "what lies between windows is not read";
}

TEST(Target, DecidesInWhichOrderGroupsAreComputed) {
  const Problem groups = problem_of(
      "Convolution f32 src=1x35x35x168 weights=3x3x24x168 groups=7 data_format=NXC "
      "weights_format=XIO");
  Target other = kZen5;
  EXPECT_TRUE(planned<Tiling>(groups, other).groups_inside);
  other.blocks.near_layer = 1 << 10;
  EXPECT_FALSE(planned<Tiling>(groups, other).groups_inside);
}

TEST(Target, KeepsAsManyBytesOfDstInEachDtype) {
  const std::string layer = " src=1x64x64x16 weights=1x1x16x64 data_format=NXC weights_format=XIO";
  const Tiling single = planned<Tiling>(problem_of("Convolution f32" + layer), kZen5);
  const Tiling rounded = planned<Tiling>(problem_of("Convolution bf16" + layer), kZen5);
  if (!rounded.rounds_dst) return;  // dst of bf16 is staged in f32
  ASSERT_GT(single.strip_tasks(), 4);
  EXPECT_GE(rounded.strips_per_task(), 2 * single.strips_per_task());
}

TEST(Target, DecidesWhetherKernelsComputeHalfVectors) {
  if (!is_supported(Isa::kAvx512)) return;  // other kernels know no half vectors
  const Problem dense = problem_of(
      "Convolution f32 src=1x8x8x16 weights=1x1x16x24 data_format=NXC weights_format=XIO");
  const Problem pairs = problem_of(
      "Convolution bf16 src=1x8x8x16 weights=1x1x16x24 data_format=NXC weights_format=XIO");
  const Problem groups = problem_of(
      "Convolution f32 src=1x8x8x24 weights=3x3x8x24 pads_begin=1,1 pads_end=1,1 groups=3 "
      "data_format=NXC weights_format=XIO");
  Target other = kZen5;
  EXPECT_FALSE(planned<Tiling>(dense, other).halves);
  EXPECT_FALSE(planned<Grouping>(groups, other).by_bands);
  const double whole = terms_of(other, planned<Tiling>(dense, other)).limit;
  other.core.half_vector = 0.5;
  EXPECT_TRUE(planned<Tiling>(dense, other).halves);
  EXPECT_TRUE(planned<Tiling>(pairs, other).halves);
  EXPECT_TRUE(planned<Grouping>(groups, other).by_bands);
  EXPECT_LT(terms_of(other, planned<Tiling>(dense, other)).limit, whole);
}

}  // namespace
}  // namespace concord::optimized
