// SPDX-License-Identifier: Apache-2.0
// No byte outside the tensors, the workspace and the packed weights is read or written: each of
// them begins at a page that faults, ends at one, or lies unaligned, for channels and widths around
// every vector and block, in all kernels that this processor runs. Results are compared, too.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>

#include "optimized/runtime/kernel_table.h"
#include "optimized/testing/trial.h"
#include "optimized/testing/widths.h"

namespace concord::optimized {
namespace {

using testing::bands;
using testing::dense;
using testing::grouped;
using testing::Lines;
using testing::packed_on_the_fly;
using testing::patches;
using testing::planes;
using testing::pointwise_ncx;
using testing::problem_of;
using testing::Side;
using testing::staged;
using testing::supported_isas;
using testing::Trial;
using testing::winograd;

constexpr const char* kDtypes[] = {"f32", "f16", "bf16", "f64"};

// Tries the lines in all places with the kernels of every instruction set; one whose plan has the
// kernels of a poorer one is not tried again.
void expect_within(const Lines& lines, const std::string& dtype, Options options = {},
                   double weights_unit = 1) {
  for (const std::string& line : lines) {
    const Problem problem = problem_of("Convolution " + dtype + line);
    Trial trial(problem, 7, weights_unit);
    std::set<std::string> tried;
    for (const Isa isa : supported_isas()) {
      options.isa = isa;
      const auto plan = make_plan(problem, options);
      ASSERT_TRUE(plan) << line;
      if (!tried.insert(plan->kernel() + " " + plan->reorders->name).second) continue;
      for (const Side side : testing::kSides) {
        ASSERT_EQ(trial.run(options, side), "") << to_string(isa);
      }
    }
  }
}

// Of 576ths the transforms of F(4x4, 3x3) are exact.
double exact_unit(int winograd) { return winograd == 4 ? 576 : 1; }

TEST(Bounds, HoldForDenseLayersWithChannelsLast) {
  for (const char* dtype : kDtypes) expect_within(dense(true), dtype);
}

TEST(Bounds, HoldForDenseLayersWithChannelsFirst) {
  for (const char* dtype : kDtypes) expect_within(dense(false), dtype);
}

TEST(Bounds, HoldWhereSrcIsBroughtByTasksOrBeforeThem) {
  for (const char* dtype : kDtypes) {
    expect_within(staged(), dtype);
    expect_within(staged(), dtype, {.threads = 2});
  }
}

TEST(Bounds, HoldWhereTasksBringTheWeights) {
  for (const char* dtype : kDtypes) {
    expect_within(packed_on_the_fly(), dtype);
    expect_within(packed_on_the_fly(), dtype, {.threads = 2});
  }
}

// What lies outside src is never read, however far a tile's first or last pixel reaches into the
// padding.
TEST(Bounds, HoldWherePixelsReachFarIntoThePadding) {
  Lines lines;
  for (const char* far : {"src=1x16x4 weights=2x4x32 pads_begin=2305843009213693953 "
                          "dilations=2305843009213693952",
                          "src=1x1000x4 weights=2x4x32 pads_begin=4611686018427387805 "
                          "dilations=4611686018427387804",
                          "src=1x7x8 weights=1x8x32 pads_begin=2305843009213693945 "
                          "strides=2305843009213693950",
                          "src=1x9x8 weights=3x8x32 pads_begin=1 pads_end=1",
                          "src=1x3x40x4 weights=3x3x4x24 pads_begin=1,2 pads_end=1,2",
                          "src=1x3x40x8 weights=3x3x2x12 pads_begin=1,1 pads_end=1,1 groups=4",
                          "src=1x200000x3 weights=1x1x6 groups=3 strides=768614336404564650 "
                          "pads_begin=768614336404564650"}) {
    lines.push_back(" " + std::string(far) + " data_format=NXC weights_format=XIO");
  }
  for (const char* dtype : {"f32", "f64", "bf16"}) expect_within(lines, dtype);
}

TEST(Bounds, HoldForNarrowGroups) {
  for (const char* dtype : kDtypes) {
    expect_within(grouped(true), dtype);
    expect_within(grouped(false), dtype);
  }
}

TEST(Bounds, HoldForPatches) {
  for (const char* dtype : kDtypes) expect_within(patches(), dtype);
  for (const char* dtype : kDtypes) expect_within(bands(), dtype);
}

TEST(Bounds, HoldForPointwiseNcx) {
  for (const char* dtype : {"f32", "f64"}) expect_within(pointwise_ncx(), dtype);
}

TEST(Bounds, HoldForPlanes) {
  for (const char* dtype : {"f32", "f64"}) {
    expect_within(planes(), dtype);
    expect_within(planes(), dtype, {.threads = 3});
  }
}

TEST(Bounds, HoldForWinograd) {
  for (const int size : {2, 4}) {
    expect_within(winograd(), "f32", {.winograd = size}, exact_unit(size));
  }
}

// What the lists above are planned as.
struct Reached {
  std::set<std::string> families;
  std::set<TileKernel> tiles;
  std::set<GroupedKernel> groups;
  bool by_task = false, before = false;  ///< how src is staged
};

void add_tiles(const Tiling& tiling, Reached* reached) {
  for (const Segment& segment : tiling.segments) {
    for (Extent p = 0; p < tiling.panels; ++p) {
      reached->tiles.insert(tiling.family->kernels[tiling.vectors_of(p)][segment.pixels]);
    }
  }
  if (tiling.stages_src) (tiling.stages_by_task ? reached->by_task : reached->before) = true;
}

void add(const Lines& lines, const std::string& dtype, Options options, Reached* reached) {
  for (const std::string& line : lines) {
    const Problem problem = problem_of("Convolution " + dtype + line);
    for (const Isa isa : supported_isas()) {
      options.isa = isa;
      const auto plan = make_plan(problem, options);
      ASSERT_TRUE(plan) << line;
      reached->families.insert(plan->kernel());
      reached->families.insert(plan->name() + " by " + plan->kernel());
      reached->families.insert(plan->reorders->name);
      if (const auto* t = plan->as<Tiling>()) add_tiles(*t, reached);
      if (const auto* g = plan->as<Grouping>()) reached->groups.insert(g->function);
    }
  }
}

Reached reach_all() {
  Reached reached;
  for (const char* dtype : kDtypes) {
    for (const Lines& lines : {dense(true), dense(false), grouped(true), grouped(false), patches(),
                               bands(), pointwise_ncx(), planes()}) {
      add(lines, dtype, {}, &reached);
    }
    for (const int threads : {1, 2}) add(staged(), dtype, {.threads = threads}, &reached);
  }
  for (const int size : {2, 4}) add(winograd(), "f32", {.winograd = size}, &reached);
  return reached;
}

void expect_all(const TileFamily& tiles, const Reached& reached) {
  for (int vectors = 1; vectors <= kMaxVectors; ++vectors) {
    for (int pixels = 1; pixels <= tiles.max_pixels[vectors]; ++pixels) {
      EXPECT_EQ(reached.tiles.count(tiles.kernels[vectors][pixels]), 1U)
          << tiles.name << " " << pixels << "x" << vectors;
    }
  }
}

// Bands of half vectors serve what this kernel would, where half a vector takes half the time.
bool is_never_used(const GroupedFamily& groups, GroupedKernel kernel) {
  const Core& core = target_for(this_processor(), Isa::kAvx512).core;
  return groups.half_bands[0] != nullptr && core.half_vector < 1 &&
         kernel == groups.kernels[3][kWidth3Stride1];
}

void expect_all(const GroupedFamily& groups, const Reached& reached) {
  for (const GroupedKernel kernel : groups.patches) {
    if (kernel == nullptr) continue;
    EXPECT_EQ(reached.groups.count(kernel), 1U)
        << groups.name << " patches of stride " << &kernel - groups.patches + 1;
  }
  for (const GroupedKernel kernel : groups.bands) {
    if (kernel == nullptr) continue;
    EXPECT_EQ(reached.groups.count(kernel), 1U)
        << groups.name << " bands of stride " << &kernel - groups.bands + 1;
  }
  for (const GroupedKernel kernel : groups.half_bands) {
    if (kernel == nullptr) continue;
    EXPECT_EQ(reached.groups.count(kernel), 1U)
        << groups.name << " half bands of stride " << &kernel - groups.half_bands + 1;
  }
  for (const auto& of_width : groups.kernels) {
    for (const GroupedKernel kernel : of_width) {
      if (kernel == nullptr || is_never_used(groups, kernel)) continue;
      EXPECT_EQ(reached.groups.count(kernel), 1U)
          << groups.name << " " << &of_width - groups.kernels << " " << &kernel - of_width;
    }
  }
}

template <class Family>
void expect_all(const Family& family, const Reached& reached) {
  EXPECT_EQ(reached.families.count(family.name), 1U) << family.name;
}

TEST(Bounds, AreTriedWithEveryKernelOfTheTableThatThisProcessorRuns) {
  const Reached reached = reach_all();
  for (const KernelRow& row : kernel_rows()) {
    if (!is_supported(row.needs)) continue;
    std::visit([&](const auto& family) { expect_all(*family(), reached); }, row.family);
    const auto* tiles = std::get_if<const TileFamily* (*)()>(&row.family);
    if (tiles == nullptr || row.facts.element == kBf16Pairs) continue;
    EXPECT_EQ(reached.families.count("pointwise_ncx by " + std::string(row.name)), 1U) << row.name;
  }
  EXPECT_TRUE(reached.by_task);
  EXPECT_TRUE(reached.before);
}

TEST(Kernels, AreAsTheirRowsSay) {
  for (const KernelRow& row : kernel_rows()) {
    if (!is_supported(row.needs)) continue;
    std::visit([&](const auto& family) { EXPECT_STREQ(family()->name, row.name); }, row.family);
    if (const auto* tiles = std::get_if<const TileFamily* (*)()>(&row.family)) {
      EXPECT_EQ((*tiles)()->lanes, row.facts.lanes) << row.name;
      EXPECT_EQ((*tiles)()->element_bytes, row.facts.element == kDouble ? 8 : 4) << row.name;
      EXPECT_EQ((*tiles)()->channels, row.facts.element == kBf16Pairs ? 2 : 1) << row.name;
    } else if (const auto* groups = std::get_if<const GroupedFamily* (*)()>(&row.family)) {
      EXPECT_EQ((*groups)()->lanes, row.facts.lanes) << row.name;
      EXPECT_EQ((*groups)()->element, row.facts.element) << row.name;
    } else if (const auto* winograd = std::get_if<const WinogradFamily* (*)()>(&row.family)) {
      EXPECT_EQ((*winograd)()->lanes, row.facts.lanes) << row.name;
    }
  }
}

}  // namespace
}  // namespace concord::optimized
