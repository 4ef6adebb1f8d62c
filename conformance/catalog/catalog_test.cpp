// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/catalog.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/case/seed.h"
#include "conformance/catalog/chosen.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/sweeps.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

std::vector<Case> listed_of(Suite suite) {
  std::vector<Case> cases;
  for (const Case& c : make_catalog(suite, 1)) {
    if (is_swept(c.id)) break;  // they are the last ones: sweeps_test.cpp
    cases.push_back(c);
  }
  return cases;
}

const std::vector<Case>& smoke() {
  static const std::vector<Case> kCases = listed_of(Suite::kSmoke);
  return kCases;
}

const std::vector<Case>& full() {
  static const std::vector<Case> kCases = listed_of(Suite::kFull);
  return kCases;
}

std::string family(const Case& c) { return c.id.substr(0, c.id.find('/')); }

bool same(const Case& a, const Case& b) {
  return a.id == b.id && a.problem == b.problem && a.fill == b.fill && a.seed == b.seed &&
         a.origin == b.origin && a.note == b.note;
}

Extent total_macs(const std::vector<Case>& cases) {
  Extent total = 0;
  for (const Case& c : cases) {
    const auto geometry = reference::resolve(c.problem);
    if (geometry) total += element_count(geometry->dst.dims).value() * geometry->products;
  }
  return total;
}

TEST(Suite, IsReadAsItIsWritten) {
  for (const Suite suite : kSuites) {
    EXPECT_EQ(parse_suite(to_string(suite)), suite);
  }
  EXPECT_EQ(parse_suite("Smoke"), std::nullopt);
  EXPECT_EQ(parse_suite(""), std::nullopt);
}

TEST(Catalog, HasEachIdOnce) {
  std::set<std::string> ids;
  for (const Case& c : full()) EXPECT_TRUE(ids.insert(c.id).second) << c.id;
}

TEST(Catalog, HasIdsOfFamilyNameDtypeAndFill) {
  for (const Case& c : full()) {
    const std::string end =
        "/" + std::string(to_string(c.problem.dtype)) + "/" + std::string(to_string(c.fill));
    EXPECT_TRUE(c.id.ends_with(end)) << c.id;
    EXPECT_EQ(std::count(c.id.begin(), c.id.end(), '/'), 3) << c.id;
    EXPECT_FALSE(c.origin.empty()) << c.id;
  }
}

TEST(Catalog, HasProblemsThatComeBackFromTheirText) {
  for (const Case& c : full()) {
    const auto problem = parse(print(c.problem));
    ASSERT_TRUE(problem) << c.id << ": " << problem.why().detail;
    EXPECT_EQ(*problem, c.problem) << c.id;
  }
}

TEST(Catalog, HasValidProblemsOutsideInvalid) {
  for (const Case& c : full()) {
    if (family(c) == "invalid") continue;
    const auto geometry = reference::resolve(c.problem);
    EXPECT_TRUE(geometry) << c.id << ": " << geometry.why().detail;
  }
}

TEST(Catalog, HasInvalidProblemsThatAreRefusedForTheFaultInTheirName) {
  std::map<std::string, int> faults;
  for (const Case& c : smoke()) {
    if (family(c) != "invalid") continue;
    const auto geometry = reference::resolve(c.problem);
    ASSERT_FALSE(geometry) << c.id;
    const std::string fault(to_string(geometry.why().fault));
    EXPECT_TRUE(c.id.starts_with("invalid/" + fault + "-")) << c.id << ": " << fault;
    ++faults[fault];
  }
  // Not among them: syntax, which no parsed problem has. Of sharing a line can spell a wrong length
  // alone.
  for (const char* fault : {"rank", "size", "layout", "strides", "scale", "dilations", "block_size",
                            "pads", "padding", "groups", "map_count", "channels", "kernel",
                            "widths", "theta", "bias", "diff_dst", "dst"}) {
    EXPECT_GE(faults[fault], 2) << fault;
  }
  EXPECT_GE(faults["sharing"], 1);
}

TEST(Catalog, RefusesEachNumberOfEachAttributeAndTensor) {
  std::set<std::string> names;
  for (const Case& c : smoke()) {
    if (c.origin == "refused.txt") names.insert(c.id.substr(0, c.id.find('/', 8)));
  }
  for (const char* name : {"strides-convolution-strides-1-zero",
                           "strides-convolution-strides-3-zero",
                           "dilations-convolution1-dilations-2-zero",
                           "pads-convolution-pads_end-3-negative",
                           "groups-convolution-groups-1-zero",
                           "pads-to-batch-paddings-4-negative",
                           "kernel-cntk-2d-kernelHeight-1-zero",
                           "strides-cntk-2d-horizontalStride-1-zero",
                           "strides-cntk-weights-stride-2-zero",
                           "map_count-cntk-mapCount-3-zero",
                           "pads-cntk-data-lowerPad-1-negative",
                           "kernel-cntk-weights-kernel-3-zero",
                           "scale-layer-chain-scales_w-2-zero",
                           "widths-layer-kernel-widths-2-zero",
                           "size-layer-channels-1-negative",
                           "size-plain-src-1-negative",
                           "layout-plain-src-stride-1-negative",
                           "bias-two-axes-bias-axis-in-front",
                           "size-one-axis-bias-1-negative",
                           "layout-cntk-dst-stride-4-negative",
                           "layout-layer-data-diff_dst-stride-1-negative",
                           "rank-plain-weights-axis-at-the-end"}) {
    EXPECT_TRUE(names.contains(std::string("invalid/") + name)) << name;
  }
  RecordProperty("cases", static_cast<int>(names.size()));
}

// A library has a kernel for groups of whole vectors in one form.
TEST(Catalog, HasTheCommonWindowsOfEachKindOfChannelsInEveryForm) {
  std::map<std::string, std::set<std::string>> forms;
  for (const Case& each : full()) {
    if (family(each) != "kernels_in_every_form") continue;
    const auto geometry = reference::resolve(each.problem)->discrete();
    const auto& a = std::get<ConvolutionAttributes>(each.problem.attributes);
    forms[fmt::format("{} {} {} {} {}", geometry.K.back(), geometry.S.back(), geometry.G,
                      geometry.ICG(), geometry.OCG())]
        .insert(fmt::format("{} {} {}", to_string(each.problem.dtype), to_string(a.data_format),
                            to_string(a.weights_format)));
  }
  EXPECT_EQ(forms.size(), 7U * 2 * 8);
  for (const auto& [kernel, found] : forms) EXPECT_EQ(found.size(), 16U) << kernel;
}

TEST(Catalog, HasEveryFamily) {
  std::map<std::string, int> count;
  for (const Case& c : smoke()) ++count[family(c)];
  EXPECT_GE(count["pairs"], 600);
  EXPECT_GE(count["sweep"], 150);
  EXPECT_GE(count["boundary"], 200);
  EXPECT_GE(count["invalid"], 50);
  int layers = 0;
  for (const auto& [name, cases] : count) {
    RecordProperty(name, cases);
    if (name != "pairs" && name != "sweep" && name != "boundary" && name != "invalid") {
      layers += cases;
    }
  }
  EXPECT_GE(layers, 2 * 120);
}

TEST(Catalog, TriesEveryOperationDtypeFillAndReadingInSmoke) {
  std::set<Operation> operations;
  std::set<Dtype> dtypes;
  std::set<Fill> fills;
  std::set<Reading> readings;
  for (const Case& c : smoke()) {
    operations.insert(c.problem.operation());
    dtypes.insert(c.problem.dtype);
    fills.insert(c.fill);
    readings.insert(c.problem.reading);
  }
  EXPECT_EQ(operations.size(), std::size(kOperations));
  EXPECT_EQ(dtypes.size(), std::size(kDtypes));
  EXPECT_EQ(fills.size(), std::size(kFills));
  EXPECT_EQ(readings.size(), std::size(kWords<Reading>));
}

// The engine's worker and the judge take 1.4 ms of a processor for a case: on two of them 12
// seconds, of the 15 that a backend may take.
TEST(Catalog, KeepsSmokeWithinItsBudget) {
  EXPECT_GE(smoke().size(), 1500u);
  EXPECT_LE(smoke().size(), 17'350u);
  EXPECT_LE(total_macs(smoke()), 2'810'000'000);
  RecordProperty("cases", static_cast<int>(smoke().size()));
  RecordProperty("macs", std::to_string(total_macs(smoke())));
}

TEST(Catalog, KeepsFullWithinItsBudget) {
  EXPECT_LE(full().size(), 64'500u);
  EXPECT_LE(total_macs(full()), 30'000'000'000);
  RecordProperty("cases", static_cast<int>(full().size()));
  RecordProperty("macs", std::to_string(total_macs(full())));
}

// `extent` without the bits from `bits` on.
Extents cut_to(int bits, Extents values) {
  for (Extent& each : values) each &= (Extent{1} << bits) - 1;
  return values;
}

bool is_far(const Case& each) { return each.id.starts_with("far/"); }

// The number of outputs does not tell a backend that cuts numbers; their values do.
TEST(Catalog, HasFarWindowsThatHaveAsManyOutputsWithNumbersCut) {
  std::map<int, std::size_t> cut;
  for (const Case& each : full()) {
    if (!is_far(each)) continue;
    const auto resolved = reference::resolve(each.problem);
    ASSERT_TRUE(resolved) << each.id << ": " << resolved.why().detail;
    for (const int bits : {7, 8, 15, 16, 30, 31, 32}) {
      Problem other = each.problem;
      SpatialAttributes& a = *spatial_attributes(other);
      for (Extents* numbers : {&a.strides, &a.dilations, &a.pads_begin, &a.pads_end}) {
        *numbers = cut_to(bits, *numbers);
      }
      if (other == each.problem) continue;
      const auto with_cut = reference::resolve(other);
      cut[bits] += with_cut && with_cut->dst.dims == resolved->dst.dims ? 1U : 0U;
    }
  }
  for (const int bits : {7, 8, 15, 16, 30, 31, 32}) EXPECT_GE(cut[bits], 20U) << bits;
}

TEST(Catalog, HasFarWindowsInSmokeOfEachKindAndEachNumberOfBits) {
  std::set<std::string> names;
  for (const Case& each : smoke()) {
    if (is_far(each)) names.insert(each.id.substr(4, each.id.find('+') - 4));
  }
  for (const char* bits : {"-7", "-8", "-15", "-16", "-30", "-31", "-32"}) {
    for (const char* kind : {"stride-first", "stride-last", "dilation-first", "dilation-last"}) {
      EXPECT_TRUE(names.contains(std::string(kind) + bits)) << kind << bits;
    }
  }
}

// What keeps a number in too few bits may be one kernel: of a dtype, of a format, or of an axis.
TEST(Catalog, HasEachFarWindowOnEachAxisInEveryVariant) {
  std::map<std::string, std::set<std::string>> variants;
  for (const Case& each : full()) {
    if (!is_far(each) || each.problem.src.rank() != 4) continue;
    const SpatialAttributes& a = *spatial_attributes(each.problem);
    std::size_t axis = 0;
    for (const Extents* numbers : {&a.strides, &a.dilations, &a.pads_begin, &a.pads_end}) {
      if ((*numbers)[1] > 64) axis = 1;
    }
    const std::string name = each.id.substr(0, each.id.find_first_of('-', each.id.find("-n")));
    const std::string window = name.substr(0, name.find("-other-axis"));
    variants[window].insert(
        fmt::format("{} {} {}", axis, to_string(each.problem.dtype), to_string(a.data_format)));
  }
  EXPECT_EQ(variants.size(), 168U);
  for (const auto& [window, found] : variants) EXPECT_EQ(found.size(), 8U) << window;
}

// The axes of a tensor with the fastest first, or nothing where it has none that lie in that order.
std::string order_of(const Tensor& tensor) {
  const Extents strides = strides_of(tensor);
  std::vector<std::size_t> axes(tensor.rank());
  std::iota(axes.begin(), axes.end(), 0);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  std::string text;
  for (const std::size_t axis : axes) text += std::to_string(axis);
  return text;
}

TEST(Catalog, HasEveryOrderOfATensorsAxesInMemoryWithAGapAtEachLevel) {
  std::map<std::string, std::set<std::string>> of_smoke, of_full;
  std::set<std::string> ids_of_smoke;
  for (const Case& each : smoke()) ids_of_smoke.insert(each.id);
  std::set<std::string> gaps;
  for (const Case& each : full()) {
    if (family(each) != "orders") continue;
    gaps.insert(each.id.find("gap") == std::string::npos ? "none"
                                                         : each.id.substr(each.id.find("gap"), 5));
    const auto add_to = [&](auto& met) {
      const std::string axes = std::to_string(each.problem.src.dims.size() - 2);
      const auto note = [&](const char* name, const Tensor& tensor) {
        if (!tensor.strides.empty()) met[name + axes].insert(order_of(tensor));
      };
      note("src", each.problem.src);
      note("weights", each.problem.weights);
      note("dst", each.problem.dst.value_or(Tensor{}));
    };
    add_to(of_full);
    if (ids_of_smoke.contains(each.id)) add_to(of_smoke);
  }
  EXPECT_EQ(gaps.size(), 1 + 5U);
  const std::pair<const char*, std::size_t> counts[] = {{"1", 6}, {"2", 24}, {"3", 120}};
  for (const char* tensor : {"src", "weights", "dst"}) {
    for (const auto& [axes, orders] : counts) {
      EXPECT_EQ(of_full[std::string(tensor) + axes].size(), orders) << tensor << axes;
    }
    for (const auto& [axes, orders] : {counts[0], counts[1]}) {
      EXPECT_EQ(of_smoke[std::string(tensor) + axes].size(), orders) << tensor << axes;
    }
  }
}

TEST(Catalog, HasTwinsWhoseTensorsHaveTheSameExtents) {
  std::map<std::pair<Extents, Extents>, std::set<std::string>> by_extents;
  for (const Case& each : smoke()) {
    if (family(each) != "twins") continue;
    by_extents[{each.problem.src.dims, each.problem.weights.dims}].insert(print(each.problem));
  }
  EXPECT_GE(by_extents[std::pair(Extents{2, 3, 3, 3}, Extents{3, 3, 3, 3})].size(), 20U);
}

TEST(Catalog, HasTheCommonWindowsWithEachPaddingAndKindOfChannelsInSmoke) {
  std::set<std::string> ids;
  for (const Case& each : smoke()) {
    if (family(each) == "kernels_common") ids.insert(each.id.substr(0, each.id.find('/', 15)));
  }
  // As TensorFlow pads a stride of 2.
  EXPECT_TRUE(ids.contains("kernels_common/3-stride-2-dilation-1-end-16-to-16"));
  EXPECT_TRUE(ids.contains("kernels_common/7-stride-2-dilation-1-half-3-to-16"));
  EXPECT_TRUE(ids.contains("kernels_common/5-stride-1-dilation-1-same_lower-depthwise-12"));
  EXPECT_GE(ids.size(), 800U);
}

TEST(Catalog, HasShortImagesInEachKindOfKernelAndFormatInSmoke) {
  std::map<std::tuple<Extent, Extent, DataFormat>, std::set<Extents>> images;
  for (const Case& each : smoke()) {
    if (family(each) != "short_images") continue;
    const SpatialAttributes& a = *spatial_attributes(each.problem);
    const Shape shape = shape_of(each.problem);
    EXPECT_EQ(shape.K, (Extents{3, 3}));
    images[{shape.G, shape.ICG, a.data_format}].insert(shape.I);
  }
  EXPECT_EQ(images.size(), 4U * 2);
  for (const auto& [kernel, met] : images) {
    EXPECT_EQ(met.size(), 21U);
    for (const Extents& image : {Extents{1, 1}, {1, 26}, {26, 1}, {2, 9}, {3, 3}}) {
      EXPECT_TRUE(met.contains(image));
    }
  }
}

TEST(Catalog, HasTensorsWithoutElementsInEachFormatInSmoke) {
  std::set<std::tuple<bool, bool, bool, std::size_t, DataFormat>> met;
  for (const Case& each : smoke()) {
    if (family(each) != "empty") continue;
    const Shape shape = shape_of(each.problem);
    const bool has_pixels = std::find(shape.I.begin(), shape.I.end(), 0) == shape.I.end();
    EXPECT_TRUE(shape.N == 0 || shape.ICG == 0 || shape.OCG == 0 || !has_pixels) << each.id;
    met.insert({shape.N > 0, shape.ICG > 0, has_pixels, shape.I.size(),
                spatial_attributes(each.problem)->data_format});
  }
  for (const DataFormat format : {DataFormat::kNCX, DataFormat::kNXC}) {
    for (const std::size_t axes : {1U, 2U, 3U}) {
      EXPECT_TRUE(met.contains({false, true, true, axes, format}));
      EXPECT_TRUE(met.contains({true, false, true, axes, format}));
      EXPECT_TRUE(met.contains({true, true, false, axes, format}));
      EXPECT_TRUE(met.contains({false, true, false, axes, format}));
    }
    EXPECT_TRUE(met.contains({false, true, true, 4, format}));
  }
}

TEST(Catalog, HasEveryCountOfTheOtherOperations) {
  std::set<std::string> ids;
  for (const Case& each : full()) {
    ids.insert(each.id.substr(0, each.id.rfind('/', each.id.rfind('/') - 1)));
  }
  for (const char* id :
       {"cntk_counts/samples-40-padded-forward", "cntk_counts/kernel-width-12-unshared-weights",
        "cntk_counts/stride-height-8-uneven-data", "cntk2d_counts/channels-65-padded-hwc",
        "continuous_counts/kernel-9-net-forward", "continuous_counts/kernel-height-6-net_k-data",
        "continuous_counts/scale-9-7-net-weights", "continuous_counts/scale-19-17-net_k-forward",
        "continuous_counts/first-width-33-net-data", "chain_counts/images-3",
        "chain_counts/channels-9", "atrous_counts/rate-12-valid",
        "blocks_counts/to-space-7-images-5", "continuous_counts/images-20-keys-forward",
        "continuous_chain_counts/layers-6", "continuous_chain_counts/channels-7"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
}

TEST(Catalog, HasSmallAndOddCountsOfTheOtherOperationsInSmoke) {
  std::set<std::string> values;  // without the variant, which is one by turns
  for (const Case& each : smoke()) {
    if (!family(each).ends_with("_counts")) continue;
    const std::string name = each.id.substr(0, each.id.find('/', each.id.find('/') + 1));
    for (const char* counted : {"cntk_counts/channels-", "cntk_counts/width-",
                                "cntk2d_counts/channels-", "cntk2d_counts/maps-",
                                "continuous_counts/out-channels-", "continuous_counts/first-width-",
                                "chain_counts/kernel-height-", "continuous_chain_counts/layers-"}) {
      if (!name.starts_with(counted)) continue;
      values.insert(counted + std::to_string(std::stol(name.substr(std::string(counted).size()))));
    }
  }
  for (const char* value : {"cntk_counts/channels-6", "cntk_counts/width-33",
                            "cntk2d_counts/channels-7", "cntk2d_counts/maps-9",
                            "continuous_counts/out-channels-5", "continuous_counts/first-width-17",
                            "chain_counts/kernel-height-5", "continuous_chain_counts/layers-4"}) {
    EXPECT_TRUE(values.contains(value)) << value;
  }
}

TEST(Catalog, HasEveryCaseThatPlantedBugsHaveChosen) {
  std::set<std::string> ids;
  for (const Case& c : smoke()) ids.insert(c.id);
  const auto chosen = chosen_cases();
  EXPECT_GE(chosen.size(), 50u);
  for (const auto& [id, bugs] : chosen) {
    EXPECT_TRUE(ids.contains(id)) << id << " is no case of full";
    EXPECT_FALSE(bugs.empty()) << id << " finds nothing";
  }
}

TEST(Catalog, HasAllOfSmokeInFull) {
  std::map<std::string, const Case*> by_id;
  for (const Case& c : full()) by_id[c.id] = &c;
  for (const Case& c : smoke()) {
    ASSERT_TRUE(by_id.contains(c.id)) << c.id;
    EXPECT_TRUE(same(*by_id[c.id], c)) << c.id;
  }
}

TEST(Catalog, IsTheSameForTheSameSeed) {
  const auto again = listed_of(Suite::kSmoke);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), smoke().begin(), smoke().end(), same));
}

TEST(Catalog, GivesOtherDataAndTheSameProblemsForAnotherSeed) {
  const auto other = make_catalog(Suite::kSmoke, 2);
  ASSERT_EQ(other.size(), smoke().size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    EXPECT_EQ(other[i].id, smoke()[i].id);
    EXPECT_EQ(other[i].problem, smoke()[i].problem);
    EXPECT_NE(other[i].seed, smoke()[i].seed);
  }
}

TEST(Catalog, GivesEachCaseItsOwnSeed) {
  std::set<std::uint64_t> seeds;
  for (const Case& c : full()) EXPECT_TRUE(seeds.insert(c.seed).second) << c.id;
}

// The published test vectors of FNV-1a, and of splitmix64 from seed 1234567.
TEST(Seed, FollowsFromPublishedHashAndGenerator) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
}

}  // namespace
}  // namespace concord::conformance
