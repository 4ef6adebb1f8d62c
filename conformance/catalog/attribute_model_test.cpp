// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/attribute_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/catalog/arrays.h"
#include "conformance/catalog/coverage.h"
#include "conformance/catalog/cut.h"
#include "conformance/catalog/extents.h"
#include "reference/discrete.h"

namespace concord::conformance {
namespace {

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = array_rows("pairs");
  return kRows;
}

std::set<LevelPair> covered() {
  std::set<LevelPair> pairs;
  for (const Row& row : rows()) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      for (std::size_t g = f + 1; g < row.size(); ++g) pairs.insert({f, row[f], g, row[g]});
    }
  }
  return pairs;
}

TEST(AttributeModel, EveryPairOfLevelsIsCoveredOrImpossible) {
  const FactorModel model = attribute_model();
  const auto seen = covered();
  std::size_t impossible = 0;
  for (const LevelPair& pair : all_pairs(model)) {
    if (seen.contains(pair)) continue;
    ++impossible;
    // That a pair is impossible shows on the pair alone: no search can have missed it.
    Row alone(model.levels.size(), kOpen);
    alone[pair.first_factor] = pair.first_level;
    alone[pair.second_factor] = pair.second_level;
    EXPECT_FALSE(model.allowed(alone))
        << attribute_factors()[pair.first_factor].name << "=" << pair.first_level << " "
        << attribute_factors()[pair.second_factor].name << "=" << pair.second_level;
  }
  EXPECT_LT(impossible * 20, all_pairs(model).size()) << "more than 5 % of the pairs excluded";
  RecordProperty("rows", static_cast<int>(rows().size()));
  RecordProperty("pairs", static_cast<int>(seen.size()));
  RecordProperty("impossible", static_cast<int>(impossible));
}

TEST(AttributeModel, EveryRowStandsForAProblemThatItsSpecificationAccepts) {
  for (const Row& row : rows()) {
    const auto geometry = reference::resolve_discrete(problem_of(row));
    ASSERT_TRUE(geometry) << describe(row) << ": " << geometry.why().detail;
    EXPECT_GT(reference::volume(geometry->O), 0) << describe(row);
  }
}

TEST(AttributeModel, CostsLittleMoreThanTheModelCounts) {
  for (const Row& row : rows()) {
    const Problem problem = problem_of(row);
    const Cost cost = least_cost(row);
    EXPECT_LE(cost.macs, count_macs(*reference::resolve_discrete(problem))) << describe(row);
    EXPECT_LE(cost.src_elements, *element_count(problem.src.dims)) << describe(row);
    EXPECT_LE(count_macs(*reference::resolve_discrete(problem)), 8 * kMaxRowCost.macs);
    EXPECT_LE(*element_count(problem.src.dims), 8 * kMaxRowCost.src_elements);
  }
}

TEST(AttributeModel, HasNoRowWhoseOutputsSeeNothingButPadding) {
  for (const Row& row : rows()) {
    const auto g = reference::resolve_discrete(problem_of(row)).value();
    for (std::size_t a = 0; a < reference::kSpatialRank; ++a) {
      const auto classes =
          border_classes({g.I[a], g.K[a], g.S[a], g.D[a], g.P_begin[a], g.P_end[a]});
      EXPECT_TRUE(classes.size() > 1 || !classes.contains({0, 0})) << describe(row);
    }
  }
}

TEST(AttributeModel, ARefusedPartIsRefusedInEveryRow) {
  const FactorModel model = attribute_model();
  for (const Row& row : rows()) {
    Row part(row.size(), kOpen);
    for (std::size_t f = 0; f < row.size(); ++f) {
      part[f] = row[f];
      ASSERT_TRUE(model.allowed(part)) << describe(row) << " up to " << attribute_factors()[f].name;
    }
  }
}

TEST(AttributeModel, RowsAreDifferentProblems) {
  std::set<std::string> lines;
  for (const Row& row : rows()) EXPECT_TRUE(lines.insert(print(problem_of(row))).second);
}

TEST(AttributeModel, MostRowsHaveSpatialExtentsThatDiffer) {
  std::size_t several_axes = 0, different = 0;
  for (const Row& row : rows()) {
    const Shape shape = shape_of(problem_of(row));
    const auto extents = level_of(row, Attribute::kExtents);
    if (shape.I.size() < 2 || extents == "smallest" || extents == "within_kernel") continue;
    ++several_axes;
    different += std::set<Extent>(shape.I.begin(), shape.I.end()).size() == shape.I.size();
  }
  EXPECT_GE(different * 100, several_axes * 95) << different << " of " << several_axes;
}

TEST(AttributeModel, HasInputsWithinTheDilatedKernelWherePadsLetThem) {
  std::size_t within = 0;
  for (const Row& row : rows()) {
    if (level_of(row, Attribute::kExtents) != "within_kernel") continue;
    const auto g = reference::resolve_discrete(problem_of(row)).value();
    for (std::size_t a = 0; a < reference::kSpatialRank; ++a) {
      within += g.K[a] > 1 && g.I[a] < g.D[a] * (g.K[a] - 1) + 1 ? 1U : 0U;
    }
  }
  EXPECT_GE(within, 20U);
}

TEST(PlainModel, HasRowsOfTheWholeModelThatNearlyEveryLibraryServes) {
  const auto plain = array_rows("plain");
  EXPECT_GE(plain.size(), 300U);
  for (const Row& row : plain) {
    EXPECT_TRUE(attribute_model().allowed(row)) << describe(row);
    const Problem problem = problem_of(row);
    EXPECT_EQ(problem.dtype, Dtype::kF32);
    EXPECT_TRUE(problem.src.strides.empty()) << describe(row);
    const SpatialAttributes& a = *spatial_attributes(problem);
    EXPECT_EQ(a.pads_begin, a.pads_end) << describe(row);
    EXPECT_EQ(shape_of(problem).I.size(), 2U);
  }
}

TEST(AttributeModel, SaysWhatTheLevelsMeanInTheProblem) {
  Row row = base_row();
  row = with_level(row, Attribute::kKernelW, "2");
  row = with_level(row, Attribute::kStrideH, "beyond_kernel");
  row = with_level(row, Attribute::kStrideW, "3");
  row = with_level(row, Attribute::kGroups, "depthwise");
  row = with_level(row, Attribute::kOC, "3");
  row = with_level(row, Attribute::kMemory, "dst_gaps");
  EXPECT_EQ(print(problem_of(row)),
            "Convolution f32 src=2x4x9x15 weights=12x1x3x2 bias=12 dst=2x12x3x6:432x36x9x1 "
            "strides=4,3 pads_begin=1,1 pads_end=1,1 groups=4 data_format=NCX weights_format=OIX");
}

}  // namespace
}  // namespace concord::conformance
