// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/exhaustive.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "conformance/case/seed.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/sweeps.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kSeed = 1;

std::string family(const Case& c) { return c.id.substr(0, c.id.find('/')); }

struct Bounds {
  std::size_t I, K, S, D, pad;
};

// For how many extents the dilated kernel reaches at most a stride beyond what there is: of one
// axis by the definition, without walking through the extents.
std::size_t count_explicit(const Bounds& most) {
  std::size_t count = 0;
  for (std::size_t K = 1; K <= most.K; ++K) {
    for (std::size_t D = 1; D <= most.D; ++D) {
      for (std::size_t S = 1; S <= most.S; ++S) {
        for (std::size_t pads = 0; pads <= 2 * most.pad; ++pads) {
          const std::size_t ways = std::min(pads, 2 * most.pad - pads) + 1;  // to split begin, end
          const std::size_t span = (K - 1) * D + 1, reach = pads + S;
          const std::size_t least = span > reach ? span - reach : 1;
          if (least <= most.I) count += ways * (most.I - std::max<std::size_t>(least, 1) + 1);
        }
      }
    }
  }
  return count;
}

std::size_t count_valid(const Bounds& most) {
  return count_explicit({most.I, most.K, most.S, most.D, 0});
}
std::size_t count_same(const Bounds& most) { return most.I * most.K * most.S * most.D; }

std::size_t count_all(const Bounds& most) {
  return count_explicit(most) + count_valid(most) + 2 * count_same(most);
}

std::size_t count_pairs(const Bounds& most) {
  std::size_t pairs = 0;
  for (const std::size_t windows :
       {count_explicit(most), count_same(most), count_same(most), count_valid(most)}) {
    pairs += windows * windows;
  }
  return pairs;
}

constexpr Bounds kAxis{10, 5, 4, 4, 4}, kPair{6, 4, 3, 2, 2}, kPairOfFull{4, 3, 2, 2, 1};

std::map<std::string, std::size_t> sizes_by_family(const CaseList& cases, std::size_t step) {
  std::map<std::string, std::size_t> sizes;
  for (std::size_t i = 0; i < cases.size(); i += step) ++sizes[family(cases[i])];
  return sizes;
}

// Where a family ends, found by halving: its cases come one after the other.
std::size_t end_of(const CaseList& cases, std::size_t first) {
  const std::string name = family(cases[first]);
  std::size_t in = first, out = cases.size();
  while (out - in > 1) {
    const std::size_t middle = in + (out - in) / 2;
    (family(cases[middle]) == name ? in : out) = middle;
  }
  return out;
}

TEST(Exhaustive, HasAsManyCasesAsAnotherFormulaCounts) {
  const CaseList cases = exhaustive_cases(kSeed);
  EXPECT_GE(cases.size(), 10'000'000U);
  // Of an axis; then operations, dtypes, two formats and three kinds of groups.
  const std::size_t each = count_all(kAxis) * 2 * 3 * 2 * 2 * 3;
  const std::size_t pairs = count_pairs(kPair) * 3 * 2;
  std::map<std::string, std::size_t> sizes;
  for (std::size_t first = 0; first < cases.size();) {
    const std::size_t end = end_of(cases, first);
    sizes[family(cases[first])] += end - first;
    first = end;
  }
  EXPECT_EQ(sizes["every_1d"], each);
  EXPECT_EQ(sizes["every_2d"], each);
  EXPECT_EQ(sizes["every_3d"], each);
  EXPECT_EQ(sizes["every_pair"], pairs);
  // Each refused window of the sweep of `full` on six axes in three dtypes.
  EXPECT_EQ(sizes["every_refused"], refused_window_sweep(kSeed)->size() * 6 * 3);
  EXPECT_EQ(sizes.size(), 5U);
}

using Tuple = std::array<Extent, 6>;

Tuple tuple_of(const Problem& problem, std::size_t axis) {
  const SpatialAttributes& a = *spatial_attributes(problem);
  const Shape shape = shape_of(problem);
  return {shape.I[axis],     shape.K[axis],      a.strides[axis],
          a.dilations[axis], a.pads_begin[axis], a.pads_end[axis]};
}

TEST(Exhaustive, HasEachWindowOnEachAxisInEachCombination) {
  const CaseList cases = exhaustive_cases(kSeed);
  const std::size_t windows = count_all(kAxis);
  // One block of each number of axes: all windows once, on each axis.
  for (const std::size_t axes : {1U, 2U, 3U}) {
    const std::size_t first = ((axes - 1) * 72 + 7 * axes) * windows;
    std::vector<std::set<std::pair<AutoPad, Tuple>>> met(axes);
    std::set<std::string> ids;
    for (std::size_t i = first; i < first + windows; ++i) {
      const Case c = cases[i];
      EXPECT_EQ(family(c), "every_" + std::to_string(axes) + "d");
      ids.insert(c.id);
      const AutoPad auto_pad = spatial_attributes(c.problem)->auto_pad;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        met[axis].emplace(auto_pad, tuple_of(c.problem, axis));
      }
    }
    for (const auto& tuples : met) EXPECT_EQ(tuples.size(), windows);
    EXPECT_EQ(ids.size(), windows);
  }
  // And each block is another combination.
  std::set<std::tuple<Operation, Dtype, DataFormat, std::string>> combinations;
  for (std::size_t block = 0; block < 72; ++block) {
    const Case c = cases[block * windows];
    const std::string name = c.id.substr(c.id.find("-1-"));
    combinations.emplace(c.problem.operation(), c.problem.dtype,
                         spatial_attributes(c.problem)->data_format, name);
  }
  EXPECT_EQ(combinations.size(), 72U);
}

TEST(Exhaustive, SampledCasesAreWhatTheirFamilySays) {
  const CaseList cases = exhaustive_cases(kSeed);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < cases.size(); i += 2003) {
    const Case c = cases[i];
    EXPECT_TRUE(ids.insert(c.id).second) << c.id;
    EXPECT_EQ(c.seed, case_seed(kSeed, c.id));
    const auto resolved = reference::resolve(c.problem);
    EXPECT_EQ(static_cast<bool>(resolved), family(c) != "every_refused") << c.id;
    const auto again = parse(print(c.problem));
    ASSERT_TRUE(again) << c.id;
    EXPECT_EQ(*again, c.problem) << c.id;
  }
  EXPECT_EQ(sizes_by_family(cases, 20011).size(), 5U);
}

TEST(WindowPairs, OfFullHaveEachPairOnceAndEachVariant) {
  const auto sweep = window_pair_sweep(kSeed);
  EXPECT_EQ(sweep->size(), count_pairs(kPairOfFull));
  std::set<std::tuple<AutoPad, Tuple, Tuple>> pairs;
  std::set<std::pair<Dtype, DataFormat>> variants;
  for (std::size_t i = 0; i < sweep->size(); ++i) {
    const Case c = sweep->at(i);
    const SpatialAttributes& a = *spatial_attributes(c.problem);
    pairs.emplace(a.auto_pad, tuple_of(c.problem, 0), tuple_of(c.problem, 1));
    variants.emplace(c.problem.dtype, a.data_format);
    EXPECT_TRUE(is_swept(c.id));
  }
  EXPECT_EQ(pairs.size(), sweep->size());
  EXPECT_EQ(variants.size(), 4U);
}

TEST(WindowPairs, OfExhaustiveHaveEachPairOfTheirBounds) {
  const CaseList cases = exhaustive_cases(kSeed);
  const std::size_t windows = count_explicit(kPair);
  std::size_t first = 3 * 72 * count_all(kAxis);
  ASSERT_EQ(family(cases[first]), "every_pair");
  // All windows on the last axis beside one on the first, in one dtype and format of six.
  std::set<Tuple> second, firsts;
  for (std::size_t i = 0; i < windows; ++i) {
    const Case c = cases[first + 6 * i + 5];
    second.insert(tuple_of(c.problem, 1));
    firsts.insert(tuple_of(c.problem, 0));
  }
  EXPECT_EQ(second.size(), windows);
  EXPECT_EQ(firsts.size(), 1U);
  firsts.clear();
  for (std::size_t i = 0; i < windows; ++i) {
    firsts.insert(tuple_of(cases[first + 6 * windows * i].problem, 0));
  }
  EXPECT_EQ(firsts.size(), windows);
}

}  // namespace
}  // namespace concord::conformance
