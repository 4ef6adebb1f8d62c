// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/sweeps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "conformance/case/seed.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/exhaustive.h"
#include "conformance/catalog/extents.h"
#include "reference/open_question.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kSeed = 1;

std::string family(const Case& c) { return c.id.substr(0, c.id.find('/')); }

// What an axis of a problem has: extent, kernel, stride, dilation, pads.
using Tuple = std::array<Extent, 6>;

Tuple tuple_of(const Problem& problem, std::size_t axis) {
  const SpatialAttributes& a = *spatial_attributes(problem);
  const Shape shape = shape_of(problem);
  const auto at = [axis](const Extents& list, Extent otherwise) {
    return list.empty() ? otherwise : list[axis];
  };
  return {shape.I[axis],      shape.K[axis],       at(a.strides, 1),
          at(a.dilations, 1), at(a.pads_begin, 0), at(a.pads_end, 0)};
}

// All that fit, by the definition.
std::set<Tuple> legal_tuples(AutoPad auto_pad) {
  std::set<Tuple> legal;
  const Extent most_pad = auto_pad == AutoPad::kNone ? 4 : 0;
  const bool is_same = auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower;
  for (Extent I = 1; I <= 10; ++I) {
    for (Extent K = 1; K <= 5; ++K) {
      for (Extent SD = 0; SD < 16; ++SD) {
        for (Extent pads = 0; pads < (most_pad + 1) * (most_pad + 1); ++pads) {
          const Extent S = SD / 4 + 1, D = SD % 4 + 1, begin = pads / (most_pad + 1),
                       end = pads % (most_pad + 1);
          // Up to a stride beyond the padding there are no outputs, but no fault either.
          if (is_same || (K - 1) * D + 1 <= I + begin + end + S) {
            legal.insert({I, K, S, D, begin, end});
          }
        }
      }
    }
  }
  return legal;
}

TEST(WindowSweep, HasEveryWindowOnEveryAxisInEachDtypeAndFormat) {
  const auto sweep = window_sweep(kSeed);
  // By axes, axis, dtype, format and auto_pad.
  std::map<std::tuple<std::size_t, std::size_t, Dtype, DataFormat, AutoPad>, std::set<Tuple>> met;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Problem problem = sweep->at(i).problem;
    const SpatialAttributes& a = *spatial_attributes(problem);
    const std::size_t axes = shape_of(problem).I.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
      met[{axes, axis, problem.dtype, a.data_format, a.auto_pad}].insert(tuple_of(problem, axis));
    }
  }
  EXPECT_EQ(met.size(), (1 + 2 + 3) * 5 * 4U);
  std::map<AutoPad, std::set<Tuple>> legal;
  for (const AutoPad auto_pad :
       {AutoPad::kNone, AutoPad::kSameUpper, AutoPad::kSameLower, AutoPad::kValid}) {
    legal[auto_pad] = legal_tuples(auto_pad);
  }
  EXPECT_EQ(legal[AutoPad::kSameUpper].size(), 800U);
  for (const auto& [where, tuples] : met) {
    const AutoPad auto_pad = std::get<AutoPad>(where);
    EXPECT_TRUE(tuples == legal[auto_pad]) << tuples.size() << " of " << legal[auto_pad].size();
  }
}

TEST(WindowSweep, PutsDifferentWindowsOnTheAxesOfAProblem) {
  const auto sweep = window_sweep(kSeed);
  std::size_t same = 0, several = 0;
  for (std::size_t i = 0; i < sweep->size(); i += 17) {
    const Problem problem = sweep->at(i).problem;
    if (shape_of(problem).I.size() == 1) continue;
    ++several;
    same += tuple_of(problem, 0) == tuple_of(problem, 1) ? 1U : 0U;
  }
  EXPECT_LT(100 * same, several);
}

TEST(FastWindowSweep, HasEveryWindowOfARowWithEachNumberOfChannelsIn) {
  const auto sweep = fast_window_sweep(kSeed);
  std::map<Extent, std::set<std::pair<AutoPad, Tuple>>> met;
  std::map<Extent, std::set<Extent>> out;
  std::set<DataFormat> formats;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Problem problem = sweep->at(i).problem;
    const Shape shape = shape_of(problem);
    const SpatialAttributes& a = *spatial_attributes(problem);
    met[shape.ICG].insert({a.auto_pad, tuple_of(problem, 1)});
    out[shape.ICG].insert(shape.OCG);
    formats.insert(a.data_format);
    EXPECT_TRUE(is_swept(sweep->at(i).id));
  }
  EXPECT_EQ(formats.size(), 2U);
  ASSERT_EQ(met.size(), 4U);
  for (const auto& [channels, windows] : met) EXPECT_EQ(4 * windows.size(), sweep->size());
  // Of oneDNN 2.6.3 in f32, wrong for this width, kernel, dilation and pad with 64 channels alone.
  EXPECT_TRUE((met[1].contains({AutoPad::kNone, Tuple{7, 5, 1, 2, 4, 4}})));
  EXPECT_EQ(out[1], (std::set<Extent>{64}));
  for (const Extent in : {3, 16, 64}) EXPECT_EQ(out[in].size(), 10U) << in;
}

TEST(RefusedSweep, HasOnlyWindowsThatAreRefusedAndMustBe) {
  const auto sweep = refused_window_sweep(kSeed);
  EXPECT_GE(sweep->size(), 2000U);
  std::map<std::string, std::size_t> faults;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    const auto resolved = reference::resolve(c.problem);
    ASSERT_FALSE(resolved) << c.id;
    ++faults[std::string(to_string(resolved.why().fault))];
    EXPECT_FALSE(reference::open_question(c.problem)) << c.id << ' ' << print(c.problem);
  }
  for (const char* fault : {"strides", "dilations", "pads", "kernel"}) {
    EXPECT_GE(faults[fault], 100U) << fault;
  }
}

TEST(CountSweep, HasEveryCountInEachKindOfKernelWithEveryPairOfLevels) {
  const auto sweep = count_sweep(kSeed);
  // By what a family counts, its value, kernel and axes: the pairs of other attributes met.
  std::map<std::string, std::set<std::string>> met;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    const SpatialAttributes& a = *spatial_attributes(c.problem);
    if (family(c) == "counts_pairs") continue;                  // whose names differ by level
    const std::string name = c.id.substr(0, c.id.rfind("d-"));  // counts_ic/7-dense-2
    const std::size_t row = std::stoul(c.id.substr(c.id.rfind("d-") + 2));
    const std::string levels[] = {
        "s" + std::to_string((row - 1) / 4), "p" + std::to_string((row - 1) % 4),
        std::string(to_string(c.problem.dtype)), a.data_format == DataFormat::kNCX ? "ncx" : "nxc"};
    for (const auto& one : levels) {
      for (const auto& other : levels) {
        if (one < other) met[name].insert(one + other);
      }
    }
  }
  for (const auto& [name, pairs] : met) {
    EXPECT_EQ(pairs.size(), 3 * 4 + 3 * 3 + 3 * 2 + 4 * 3 + 4 * 2 + 3 * 2U) << name;
  }
  for (const Extent value : {1, 63, 64, 65, 140, 191, 193, 768, 1025, 2047, 2049}) {
    for (const char* kernel : {"dense", "pointwise", "grouped"}) {
      for (const char* axes : {"1", "2", "3"}) {
        for (const char* counted : {"counts_ic/", "counts_oc/"}) {
          EXPECT_TRUE(met.contains(counted + std::to_string(value) + '-' + kernel + '-' + axes));
        }
      }
    }
  }
  EXPECT_TRUE(met.contains("counts_width/4097-depthwise-3"));
  EXPECT_TRUE(met.contains("counts_kernel/33-grouped-2"));
  EXPECT_TRUE(met.contains("counts_groups/70-grouped-1"));
  EXPECT_TRUE(met.contains("counts_batch/20-dense-2"));
  EXPECT_TRUE(met.contains("counts_batch/257-depthwise-3"));
  EXPECT_TRUE(met.contains("counts_depth/70-pointwise-3"));
  EXPECT_TRUE(met.contains("counts_kernel_rows/33-dense-2"));
  EXPECT_TRUE(met.contains("counts_kernel_planes/17-depthwise-3"));
  EXPECT_TRUE(met.contains("counts_kernel_square/31-depthwise-2"));
  EXPECT_TRUE(met.contains("counts_strides/10-by-5-dense-1"));
  EXPECT_TRUE(met.contains("counts_strides/16-by-16-dense-2"));
  EXPECT_TRUE(met.contains("counts_deep/65537-pointwise-1"));
  EXPECT_TRUE(met.contains("counts_images/1x19-depthwise-2"));
  EXPECT_TRUE(met.contains("counts_images/19x1-grouped-2"));
  EXPECT_TRUE(met.contains("counts_images/3x17-dense-2"));
}

Extent from_last(const Extents& extents, std::size_t behind) {
  return extents.size() > behind ? extents[extents.size() - 1 - behind] : 0;
}

TEST(CountSweep, CountsWhatItSays) {
  const auto sweep = count_sweep(kSeed);
  for (std::size_t i = 0; i < sweep->size(); i += 7) {
    const Case c = sweep->at(i);
    const auto slash = c.id.find('/');
    const Extent value = std::stol(c.id.substr(slash + 1));
    const Shape shape = shape_of(c.problem);
    const auto resolved = reference::resolve(c.problem);
    ASSERT_TRUE(resolved) << c.id << ' ' << resolved.why().detail;
    const std::map<std::string, Extent> counted = {
        {"counts_ic", shape.ICG},
        {"counts_oc", shape.OCG},
        {"counts_groups", shape.G},
        {"counts_batch", shape.N},
        {"counts_depthwise", shape.G},
        {"counts_width", shape.I.back()},
        {"counts_kernel", shape.K.back()},
        {"counts_kernel_rows", from_last(shape.K, 1)},
        {"counts_kernel_planes", from_last(shape.K, 2)},
        {"counts_kernel_square", shape.K.front() == shape.K.back() ? shape.K.back() : 0},
        {"counts_pairs", shape.ICG},
        {"counts_deep", shape.ICG},
        {"counts_strides", shape.K.front()},
        {"counts_depth", from_last(shape.I, 2)},
        {"counts_height", from_last(shape.I, 1)},
        {"counts_images", from_last(shape.I, 1)}};
    if (family(c) == "counts_images") {
      EXPECT_TRUE(c.id.substr(slash).starts_with(
          fmt::format("/{}x{}-", from_last(shape.I, 1), shape.I.back())))
          << c.id;
    }
    if (family(c) == "counts_long") {
      EXPECT_GE(element_count(resolved->dst.dims).value(), 65536) << c.id;
    } else {
      EXPECT_EQ(counted.at(family(c)), value) << c.id;
    }
  }
}

// What a case costs is mostly that.
TEST(CountSweep, HasLittleBesideALargeCount) {
  const auto sweep = count_sweep(kSeed);
  Extent all = 0;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    const Extent elements = element_count(c.problem.src.dims).value() +
                            element_count(reference::resolve(c.problem)->dst.dims).value();
    EXPECT_LE(elements, family(c) == "counts_long" ? 2'000'000 : 300'000) << c.id;
    all += elements;
  }
  EXPECT_LE(all / static_cast<Extent>(sweep->size()), 8'000);
}

TEST(CountSweep, HasEveryPairOfRemaindersOfChannels) {
  std::set<std::pair<Extent, Extent>> pairs, remainders;
  const auto sweep = count_sweep(kSeed);
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    if (family(c) != "counts_pairs") continue;
    const Shape shape = shape_of(c.problem);
    pairs.emplace(shape.ICG, shape.OCG);
    remainders.emplace(shape.ICG % 16, shape.OCG % 16);
    EXPECT_TRUE(c.id.starts_with("counts_pairs/" + std::to_string(shape.ICG) + "-to-" +
                                 std::to_string(shape.OCG) + "-"));
  }
  EXPECT_EQ(pairs.size(), 32 * 32U);
  EXPECT_EQ(remainders.size(), 16 * 16U);
}

TEST(CountSweep, HasLongStridesUpToTheKernelsExtent) {
  std::set<std::pair<Extent, Extent>> met;
  const auto sweep = count_sweep(kSeed);
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    if (family(c) != "counts_strides") continue;
    const Tuple last = tuple_of(c.problem, shape_of(c.problem).K.size() - 1);
    met.emplace(last[1], last[2]);
  }
  EXPECT_EQ(met.size(), 91U);
  EXPECT_TRUE(met.contains({10, 5}));
  EXPECT_TRUE(met.contains({16, 16}));
}

TEST(KernelSweep, HasWindowsThatAreTheSameOnTwoAxesWithManyKindsOfChannels) {
  const auto sweep = kernel_sweep(kSeed);
  std::map<Tuple, std::set<std::tuple<Extent, Extent, Extent>>> met;
  std::set<std::tuple<Extent, Extent, Extent>> channels;
  std::set<Dtype> dtypes;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    const Shape shape = shape_of(c.problem);
    ASSERT_EQ(shape.K.size(), 2U);
    Tuple rows = tuple_of(c.problem, 0), columns = tuple_of(c.problem, 1);
    rows[0] = columns[0] = 0;  // extents of src may differ
    EXPECT_EQ(rows, columns) << c.id;
    met[columns].insert({shape.G, shape.ICG, shape.OCG});
    channels.insert({shape.G, shape.ICG, shape.OCG});
    dtypes.insert(c.problem.dtype);
  }
  EXPECT_EQ(dtypes.size(), std::size(kDtypes));
  EXPECT_EQ(channels.size(), 21U);
  for (const auto& [K, S, D, begin, end] : {std::tuple{3, 2, 1, 0, 1},
                                            {3, 1, 3, 1, 1},
                                            {11, 4, 1, 0, 0},
                                            {16, 16, 1, 0, 0},
                                            {7, 2, 1, 3, 3},
                                            {6, 2, 1, 2, 2}}) {
    EXPECT_GE((met[Tuple{0, K, S, D, begin, end}].size()), 4U) << K << S << D << begin << end;
  }
}

// By kind of data, formats of data and weights, and bias.
using Meeting = std::tuple<Fill, DataFormat, WeightsFormat, bool>;

std::map<std::string, std::set<Meeting>> meetings_of(const CaseSource& sweep) {
  std::map<std::string, std::set<Meeting>> met;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const Case c = sweep.at(i);
    const SpatialAttributes& a = *spatial_attributes(c.problem);
    met[family(c)].emplace(c.fill, a.data_format, weights_format_of(c.problem),
                           c.problem.bias.has_value());
  }
  return met;
}

TEST(Sweeps, HaveEachKindOfDataWithEachFormatAndWithAndWithoutBias) {
  for (const auto& sweep : {window_sweep(kSeed), window_pair_sweep(kSeed), kernel_sweep(kSeed)}) {
    for (const auto& [name, met] : meetings_of(*sweep)) EXPECT_EQ(met.size(), 2 * 8U) << name;
  }
  // Integers, ramps, uniform numbers, impulses and sparse ones.
  for (const auto& [name, met] : meetings_of(*count_sweep(kSeed))) {
    EXPECT_EQ(met.size(), 5 * 8U) << name;
  }
}

TEST(Sweeps, HaveIdsSeedsAndTextsAsOtherCases) {
  std::set<std::string> ids;
  Extent macs = 0;
  std::size_t count = 0;
  for (const auto& sweep : {window_sweep(kSeed), refused_window_sweep(kSeed), count_sweep(kSeed),
                            kernel_sweep(kSeed)}) {
    for (std::size_t i = 0; i < sweep->size(); ++i) {
      const Case c = sweep->at(i);
      ++count;
      EXPECT_TRUE(ids.insert(c.id).second) << c.id;
      EXPECT_TRUE(is_swept(c.id));
      const auto resolved = reference::resolve(c.problem);
      EXPECT_EQ(static_cast<bool>(resolved), family(c) != "tuples_refused") << c.id;
      if (resolved) macs += element_count(resolved->dst.dims).value() * resolved->products;
      if (i % 31 != 0) continue;
      EXPECT_EQ(c.seed, case_seed(kSeed, c.id));
      EXPECT_EQ(std::count(c.id.begin(), c.id.end(), '/'), 3) << c.id;
      const auto again = parse(print(c.problem));
      ASSERT_TRUE(again) << c.id;
      EXPECT_EQ(*again, c.problem) << c.id;
    }
  }
  EXPECT_GE(count, 300'000U);
  EXPECT_LE(macs, 6'000'000'000);
  RecordProperty("cases", static_cast<int>(count));
  RecordProperty("macs", std::to_string(macs));
}

TEST(Sweeps, AreOfFullAlone) {
  for (const Case& c : make_catalog(Suite::kSmoke, kSeed)) EXPECT_FALSE(is_swept(c.id)) << c.id;
  const CaseList full = make_catalog(Suite::kFull, kSeed);
  EXPECT_TRUE(is_swept(full[full.size() - 1].id));
  EXPECT_FALSE(is_swept(full[0].id));
}

}  // namespace
}  // namespace concord::conformance
