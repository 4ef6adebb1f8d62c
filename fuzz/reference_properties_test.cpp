// SPDX-License-Identifier: Apache-2.0
// The properties hold for the reference, and each of them rejects a formula that is wrong in the
// way that the property is about.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

#include "fuzz/properties.h"
#include "spec/grid.h"

namespace concord::fuzz {
namespace {

using reference::Geometry;

struct Named {
  const char* name;
  Property property;
};
const Named kProperties[] = {
    {"IsLinear", is_linear},
    {"SplitsByBatch", splits_by_batch},
    {"SplitsByInputChannel", splits_by_input_channel},
    {"SplitsByOutputChannel", splits_by_output_channel},
    {"PadsWithZeros", pads_with_zeros},
    {"StridesBySubsampling", strides_by_subsampling},
    {"DilatesByZeros", dilates_by_zeros},
    {"GroupsByBlocks", groups_by_blocks},
    {"IgnoresFormats", ignores_formats},
    {"LowersToConvolution", lowers_to_convolution},
};

class Reference : public testing::TestWithParam<Named> {};

TEST_P(Reference, HasTheProperty) {
  EXPECT_TRUE(rc::check(GetParam().name, [](std::uint32_t seed) {
    const Problem problem = *small_problem();
    RC_PRE(have_properties(problem));
    RC_ASSERT(GetParam().property(problem, seed, evaluate_by_reference));
  }));
}

INSTANTIATE_TEST_SUITE_P(, Reference, testing::ValuesIn(kProperties),
                         [](const auto& test) { return test.param.name; });

// Changes the geometry or the data, then computes as the reference does.
template <class Change>
Evaluator mutant(Change change) {
  return [change](const Problem& problem, const Data& data) {
    Geometry geometry = reference::resolve_discrete(problem).value();
    Data changed = data;
    change(problem, geometry, changed);
    return reference::evaluate_discrete(problem, geometry, changed.src, changed.weights,
                                        changed.bias)
        .value;
  };
}

// How many of 500 small problems, the same on every run, show that the evaluator is wrong.
int rejections(Property property, const Evaluator& evaluate) {
  int count = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Problem problem = small_problem()(rc::Random(seed), rc::kNominalSize).value();
    if (have_properties(problem) && !property(problem, seed, evaluate)) ++count;
  }
  return count;
}

std::vector<double> without_negative_sums(const Problem& problem, const Data& data) {
  auto values = evaluate_by_reference(problem, data);
  for (double& value : values) value = std::max(value, 0.0);
  return values;
}

void reverse_bias(const Problem&, Geometry&, Data& data) {
  std::reverse(data.bias.begin(), data.bias.end());
}

void take_the_next_image(const Problem&, Geometry& g, Data& data) {
  if (g.N < 2) return;
  const auto image = static_cast<std::ptrdiff_t>(data.src.size()) / g.N;
  std::rotate(data.src.begin(), data.src.begin() + image, data.src.end());
}

void forget_the_last_channel(const Problem&, Geometry& g, Data& data) {
  const Grid weights(reference::joined(g.OC, g.ICG(), g.K));
  for (const auto& index : weights) {
    if (index[1] > 0 && index[1] == g.ICG() - 1) data.weights[weights.offset(index)] = 0;
  }
}

void use_one_bias_for_all(const Problem&, Geometry&, Data& data) {
  if (!data.bias.empty()) std::fill(data.bias.begin(), data.bias.end(), data.bias[0]);
}

void swap_padding(const Problem&, Geometry& g, Data&) { std::swap(g.P_begin, g.P_end); }

void start_at_the_end_of_each_step(const Problem&, Geometry& g, Data&) {
  for (std::size_t x = 0; x < g.S.size(); ++x) g.P_begin[x] -= g.S[x] - 1;
}

void swap_strides(const Problem&, Geometry& g, Data&) {
  std::swap(g.S[reference::kHeight], g.S[reference::kWidth]);
}

void ignore_dilation(const Problem&, Geometry& g, Data&) { g.D.fill(1); }

// As if 0 were dense, which some libraries' interfaces have.
void dilate_by_one_more(const Problem&, Geometry& g, Data&) {
  for (Extent& d : g.D) d += d == 1 ? 0 : 1;
}

void deal_channels_out_in_turn(const Problem&, Geometry& g, Data& data) {
  const Grid src(reference::joined(g.N, g.IC, g.I));
  const std::vector<double> in_order = data.src;
  for (const auto& place : src) {
    auto dealt = place;
    dealt[1] = place[1] % g.ICG() * g.G + place[1] / g.ICG();
    data.src[src.offset(place)] = in_order[src.offset(dealt)];
  }
}

void turn_the_filter_round_for_nxc(const Problem& problem, Geometry&, Data& data) {
  if (data_format_of(problem) != DataFormat::kNXC) return;
  std::reverse(data.weights.begin(), data.weights.end());
}

void swap_padding_of_atrous(const Problem& problem, Geometry& g, Data&) {
  if (problem.operation() == Operation::kAtrousConv2d) std::swap(g.P_begin, g.P_end);
}

struct Mutant {
  const char* name;
  Property property;
  Evaluator evaluate;
};
const Mutant kMutants[] = {
    {"ReluIsNotLinear", is_linear, without_negative_sums},
    {"ReversedBiasIsNotAdded", is_linear, mutant(reverse_bias)},
    {"TheNextImageDoesNotSplitByBatch", splits_by_batch, mutant(take_the_next_image)},
    {"AForgottenChannelDoesNotSplit", splits_by_input_channel, mutant(forget_the_last_channel)},
    {"OneBiasForAllDoesNotSplit", splits_by_output_channel, mutant(use_one_bias_for_all)},
    {"SwappedPadsDoNotPad", pads_with_zeros, mutant(swap_padding)},
    {"AnOffsetDoesNotSubsample", strides_by_subsampling, mutant(start_at_the_end_of_each_step)},
    {"SwappedStridesDoNotSubsample", strides_by_subsampling, mutant(swap_strides)},
    {"IgnoredDilationDoesNotDilate", dilates_by_zeros, mutant(ignore_dilation)},
    {"DilationFromZeroDoesNotDilate", dilates_by_zeros, mutant(dilate_by_one_more)},
    {"DealtChannelsAreNotGroups", groups_by_blocks, mutant(deal_channels_out_in_turn)},
    {"AFormatsTurnedFilterShows", ignores_formats, mutant(turn_the_filter_round_for_nxc)},
    {"SwappedAtrousPadsDoNotLower", lowers_to_convolution, mutant(swap_padding_of_atrous)},
};

class Mutation : public testing::TestWithParam<Mutant> {};

TEST_P(Mutation, IsRejected) {
  const int count = rejections(GetParam().property, GetParam().evaluate);
  std::cout << GetParam().name << ": rejected by " << count << " of 500 problems\n";
  EXPECT_GT(count, 0);
}

INSTANTIATE_TEST_SUITE_P(, Mutation, testing::ValuesIn(kMutants),
                         [](const auto& test) { return test.param.name; });

// The counter itself: nothing is rejected where nothing is wrong.
TEST(Rejections, AreNoneForTheReference) {
  for (const auto& [name, property] : kProperties) {
    EXPECT_EQ(rejections(property, evaluate_by_reference), 0) << name;
  }
}

// The text form is a property of print() and parse() alone.
bool comes_back(const Problem& problem, const std::function<std::string(const Problem&)>& printed) {
  const auto parsed = parse(printed(problem));
  return parsed && *parsed == problem;
}

TEST(ProblemText, ComesBackAndWouldNotIfAWordWereLost) {
  int lost = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Problem problem = any_problem()(rc::Random(seed), rc::kNominalSize).value();
    EXPECT_TRUE(comes_back(problem, print)) << problem;
    const auto without_last_word = [](const Problem& p) {
      const std::string line = print(p);
      return line.substr(0, line.rfind(' '));
    };
    if (!comes_back(problem, without_last_word)) ++lost;
  }
  EXPECT_GT(lost, 100);
}

}  // namespace
}  // namespace concord::fuzz
