// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/form_model.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <variant>

#include "conformance/case/seed.h"
#include "conformance/catalog/arrays.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/cntk_axis_levels.h"
#include "conformance/catalog/coverage.h"
#include "conformance/catalog/sweeps.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

class FormModels : public testing::TestWithParam<std::size_t> {
 protected:
  const FormModel& form() const { return form_models()[GetParam()]; }
  // Found when Concord was built: arrays_test.cpp.
  std::vector<Row> rows() const {
    auto rows = array_rows(std::string(form().name) + "_pairs");
    const auto more = array_rows(std::string(form().name) + "_triples");
    EXPECT_FALSE(rows.empty());
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }
};

TEST_P(FormModels, RowsStandForProblemsThatTheirSpecificationAccepts) {
  for (const Row& row : rows()) {
    const Problem problem = form().problem_of(row);
    const auto resolved = reference::resolve(problem);
    ASSERT_TRUE(resolved) << print(problem) << ": " << resolved.why().detail;
    EXPECT_GT(*element_count(resolved->dst.dims), 0) << print(problem);
    // The products of theta's gradient are roundings, not what it takes.
    if (problem.operation() == Operation::kContinuousBackwardWeights) continue;
    EXPECT_LE(*element_count(resolved->dst.dims) * resolved->products, 1'000'000) << print(problem);
  }
}

TEST_P(FormModels, RowsAreDifferentProblems) {
  std::set<std::string> lines;
  for (const Row& row : rows()) {
    EXPECT_TRUE(lines.insert(print(form().problem_of(row))).second)
        << describe(form().factors, row);
  }
}

// A part of a row that is allowed must not have been refused, or the search would have missed rows.
TEST_P(FormModels, ARefusedPartIsRefusedInEveryRow) {
  constexpr int kParts = 30;
  Random random(3);
  for (const Row& row : covering_rows(form().model, 2)) {
    for (int i = 0; i < kParts; ++i) {
      Row part = row;
      const std::size_t open_of_eight = 1 + random.below(7);
      for (int& level : part) {
        if (random.below(8) < open_of_eight) level = kOpen;
      }
      ASSERT_TRUE(form().model.allowed(part)) << describe(form().factors, row);
    }
  }
}

std::vector<Case> listed(Suite suite) {
  std::vector<Case> cases;
  for (const Case& each : make_catalog(suite, 1)) {
    if (is_swept(each.id)) break;  // hundreds of thousands, the last ones, without a row
    cases.push_back(each);
  }
  return cases;
}

const std::vector<Case>& cases_of(Suite suite) {
  static const auto kSmoke = listed(Suite::kSmoke), kFull = listed(Suite::kFull);
  return suite == Suite::kSmoke ? kSmoke : kFull;
}

// The cases of the suites, whatever else they hold, hold the rows.
TEST_P(FormModels, PairsAreInSmokeAndTriplesInFull) {
  const FactorModel& model = form().model;
  std::map<std::string, Row> by_text;
  for (const Row& row : rows()) by_text[describe(form().factors, row)] = row;
  const auto held = [&](Suite suite) {
    std::set<Row> found_rows;
    for (const Case& each : cases_of(suite)) {
      const auto found = by_text.find(each.origin);
      if (found == by_text.end()) continue;
      found_rows.insert(found->second);
      EXPECT_EQ(each.problem, form().problem_of(found->second)) << each.id;
    }
    return count_covered(model, {found_rows.begin(), found_rows.end()});
  };
  std::size_t impossible = 0;
  const auto all = rows_for_missing_triples(model, {}, 7, &impossible);
  const Coverage possible = count_covered(model, all);
  EXPECT_EQ(MissingTriples(model).size() - impossible, possible.triples);
  EXPECT_EQ(held(Suite::kSmoke).pairs, possible.pairs);
  EXPECT_EQ(held(Suite::kFull).triples, possible.triples);
  RecordProperty("pairs", static_cast<int>(possible.pairs));
  RecordProperty("triples", static_cast<int>(possible.triples));
}

INSTANTIATE_TEST_SUITE_P(All, FormModels, testing::Range<std::size_t>(0, form_models().size()),
                         [](const auto& one) {
                           return std::string(form_models()[one.param].name);
                         });

std::size_t factor_of(const FormModel& form, std::string_view name) {
  for (std::size_t f = 0; f < form.factors.size(); ++f) {
    if (form.factors[f].name == name) return f;
  }
  ADD_FAILURE() << name;
  return 0;
}

int level_of(const Factor& factor, std::string_view name) {
  for (std::size_t level = 0; level < factor.levels.size(); ++level) {
    if (factor.levels[level] == name) return static_cast<int>(level);
  }
  ADD_FAILURE() << factor.name << "=" << name;
  return 0;
}

// The problem of the row with these levels, and the first one of everything else.
std::string problem_with(const FormModel& form,
                         const std::map<std::string_view, std::string_view>& levels) {
  Row row(form.factors.size(), 0);
  for (const auto& [name, level] : levels) {
    const std::size_t f = factor_of(form, name);
    row[f] = level_of(form.factors[f], level);
  }
  EXPECT_TRUE(form.model.allowed(row));
  return print(form.problem_of(row));
}

// Of any operation of the continuous layer.
std::optional<KernelFunction> function_of(const Problem& problem) {
  return std::visit(
      [](const auto& attributes) -> std::optional<KernelFunction> {
        if constexpr (requires { attributes.function; }) return attributes.function;
        return std::nullopt;
      },
      problem.attributes);
}

TEST(FormModel, RowsHaveEachOperationOfTheContinuousLayerWithEachOfItsFunctions) {
  std::map<Operation, std::set<KernelFunction>> met;
  for (const FormCase& row : form_pairs()) {
    if (const auto function = function_of(row.problem)) {
      met[row.problem.operation()].insert(*function);
    }
  }
  EXPECT_EQ(met.size(), 6U);
  for (const auto& [operation, functions] : met) {
    // The cubic has no parameters to differentiate by.
    const std::size_t none = operation == Operation::kContinuousBackwardWeights ? 1 : 0;
    EXPECT_EQ(functions.size(), std::size(kWords<KernelFunction>) - none) << to_string(operation);
  }
}

TEST(FormModel, SaysWhatTheLevelsMeanInTheProblem) {
  EXPECT_EQ(problem_with(cntk_model(), {{"axes", "3"},
                                        {"samples", "2"},
                                        {"extents", "few"},
                                        {"map_count", "list"},
                                        {"kernel_1", "3"},
                                        {"padding_1", "both"},
                                        {"stride_2", "2"},
                                        {"sharing_2", "false"},
                                        {"maps_3", "2"}}),
            "CntkConvolution f32 src=1x5x2x2 weights=6x3 kernel=3,1,1 mapCount=1,1,2 stride=1,2,1 "
            "sharing=true,false,true autoPadding=false,false,false lowerPad=1,0,0 upperPad=2,0,0");
  EXPECT_EQ(problem_with(cntk_2d_model(), {{"layout", "HWC"},
                                           {"channels", "3"},
                                           {"kernel_width", "3"},
                                           {"width", "few"},
                                           {"stride_height", "2"},
                                           {"height", "left_over"}}),
            "CntkConvolution2d f32 src=3x4x6x1 weights=1x9 kernelWidth=3 verticalStride=2 "
            "imageLayout=HWC");
  EXPECT_EQ(
      problem_with(atrous_model(), {{"padding", "VALID"}, {"rate", "3"}, {"filter_width", "2"}}),
      "AtrousConv2d f32 src=1x1x4x1 weights=1x2x1x1 rate=3 padding=VALID");
  EXPECT_EQ(
      problem_with(
          blocks_model(),
          {{"operation", "BatchToSpace"}, {"block", "2"}, {"top", "beyond_block"}, {"rows", "2"}}),
      "BatchToSpace f32 src=4x3x1x1 block_size=2 crops=3,0,0,0");
  EXPECT_EQ(
      problem_with(continuous_model(), {{"operation", "ContinuousBackwardData"},
                                        {"scale_height", "2/3"},
                                        {"kernel_height", "3"},
                                        {"height", "beyond_support"},
                                        {"size_width", "more"}}),
      "ContinuousBackwardData f32 src=1x1x6x1 weights=43 diff_dst=1x1x4x3 scale=2/3,1 size=4,3 "
      "kernel=3,1 widths=4,5");
  EXPECT_EQ(problem_with(many_axes_model(), {{"axes", "5"},
                                             {"data_format", "NCX"},
                                             {"bias", "yes"},
                                             {"out_channels", "3"},
                                             {"kernel_6", "3"},
                                             {"pads_6", "uneven"},
                                             {"outputs_6", "2"},
                                             {"stride_2", "2"},
                                             {"outputs_2", "2"}}),
            "Convolution1 f32 src=1x1x3x1x1x1x1 weights=1x1x1x1x3x1x3 bias=3 strides=2,1,1,1,1 "
            "pads_begin=0,0,0,0,2 pads_end=0,0,0,0,1 data_format=NCX filter_format=XIO");
  EXPECT_EQ(problem_with(sizes_model(), {{"axes", "2"},
                                         {"dtype", "f64"},
                                         {"kernel", "1x5"},
                                         {"padding", "beyond_both"},
                                         {"groups", "depthwise"},
                                         {"in_channels", "17"},
                                         {"out_channels", "2"},
                                         {"outputs_height", "3"},
                                         {"outputs_width", "16"}}),
            "Convolution f64 src=1x3x9x17 weights=1x5x1x34 pads_begin=0,6 pads_end=0,5 groups=17 "
            "data_format=NXC weights_format=XIO");
}

TEST(CntkAxisLevels, GoTogetherWhereTheReferenceAcceptsThem) {
  const CntkAxisLevels padded_channels{true, false, 2, 0, 1, 1};
  EXPECT_FALSE(least_cntk_products(padded_channels)) << "padding over channels is refused";
  CntkAxisLevels other = padded_channels;
  other.documented = true;
  EXPECT_TRUE(least_cntk_products(other));
  other = padded_channels;
  other.padding = kOpen;
  EXPECT_TRUE(least_cntk_products(other)) << "some padding is none";
  EXPECT_EQ(least_cntk_products({false, false, kOpen, kOpen, kOpen, kOpen}), 1);
}

}  // namespace
}  // namespace concord::conformance
