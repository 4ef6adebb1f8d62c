// SPDX-License-Identifier: Apache-2.0
// The formulas against the scatter, bit for bit on integers, over every small problem.
#include "reference/scatter.h"

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <vector>

#include "spec/grid.h"

namespace concord::reference {
namespace {

std::vector<double> integers(Extent count, std::mt19937& random) {
  std::uniform_int_distribution<int> digit(-9, 9);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = digit(random);
  return values;
}

// Compares on one problem; false if the specification refuses it.
bool agrees(const Problem& problem, std::mt19937& random) {
  const auto g = resolve_discrete(problem);
  if (!g) {
    EXPECT_EQ(g.why().fault, Fault::kKernel) << print(problem) << ": " << g.why().detail;
    return false;
  }
  const auto src = integers(element_count(problem.src.dims).value(), random);
  const auto weights = integers(element_count(problem.weights.dims).value(), random);
  const auto bias = integers(problem.bias ? g->OC : 0, random);
  const Oracle want = scatter(*g, src, weights, bias);
  const Oracle got = evaluate_discrete(problem, *g, src, weights, bias);
  EXPECT_EQ(got.value, want.value) << print(problem);
  EXPECT_EQ(got.magnitude, want.magnitude) << print(problem);
  EXPECT_EQ(static_cast<Extent>(got.value.size()), element_count(g->dst.dims)) << print(problem);
  return true;
}

struct Choice {
  Extent I, K, S, D, P_begin, P_end;
};

// Every choice of one axis's extents and attributes.
std::vector<Choice> choices(Extent most_I, Extent most_K, Extent most_S, Extent most_D,
                            Extent most_P) {
  std::vector<Choice> all;
  for (const auto [I, K, S, D, b, e] :
       Grid<6>{{most_I + 1, most_K, most_S, most_D, most_P + 1, most_P + 1}}) {
    all.push_back({I, K + 1, S + 1, D + 1, b, e});
  }
  return all;
}

template <class A>
Problem problem_of(const std::vector<Choice>& axes, AutoPad auto_pad, Extent groups, Extent N,
                   bool biased) {
  A a;
  Problem problem;
  problem.src.dims = {N, 2 * groups};
  problem.weights.dims = {3 * groups, 2};
  for (const Choice& c : axes) {
    problem.src.dims.push_back(c.I);
    problem.weights.dims.push_back(c.K);
    a.strides.push_back(c.S);
    a.dilations.push_back(c.D);
    a.pads_begin.push_back(c.P_begin);
    a.pads_end.push_back(c.P_end);
  }
  if (biased) problem.bias = Tensor{{3 * groups}, {}};
  a.auto_pad = auto_pad;
  a.groups = groups;
  a.data_format = DataFormat::kNCX;
  if constexpr (std::is_same_v<A, Convolution1Attributes>) {
    a.filter_format = WeightsFormat::kOIX;
  } else {
    a.weights_format = WeightsFormat::kOIX;
  }
  problem.attributes = a;
  return problem;
}

constexpr AutoPad kAutoPads[] = {AutoPad::kNone, AutoPad::kSameUpper, AutoPad::kSameLower,
                                 AutoPad::kValid};

template <class A>
int count_agreements(const std::vector<Choice>& axis, std::size_t rank, std::mt19937& random) {
  int count = 0;
  std::vector<std::size_t> index(rank, 0);
  while (true) {
    std::vector<Choice> axes;
    axes.reserve(rank);
    for (const std::size_t i : index) axes.push_back(axis[i]);
    for (const AutoPad auto_pad : kAutoPads) {
      // Readings, groups and bias change from one problem to the next, so that all of them meet.
      const auto turn = static_cast<Extent>(count);
      Problem problem = problem_of<A>(axes, auto_pad, 1 + turn % 3, 1 + turn % 2, turn % 5 != 0);
      problem.reading = turn % 7 < 3 ? Reading::kDocumented : Reading::kImplemented;
      if (agrees(problem, random)) ++count;
    }
    std::size_t place = 0;
    while (place < rank && ++index[place] == axis.size()) index[place++] = 0;
    if (place == rank) return count;
  }
}

template <class A>
int count_everywhere() {
  std::mt19937 random(1);
  int count = count_agreements<A>(choices(6, 4, 3, 3, 2), 1, random);
  count += count_agreements<A>(choices(3, 3, 2, 2, 1), 2, random);
  count += count_agreements<A>(choices(1, 2, 1, 2, 1), 3, random);
  std::cout << count << " problems agree\n";
  return count;
}

// The numbers of problems are what the enumeration holds; they show that none was left out.
TEST(Scatter, AgreesWithConvolution1OnEverySmallProblem) {
  EXPECT_EQ(count_everywhere<Convolution1Attributes>(), 219333);
}

TEST(Scatter, AgreesWithTheOneDnnGraphOnEverySmallProblem) {
  EXPECT_EQ(count_everywhere<ConvolutionAttributes>(), 219333);
}

TEST(Scatter, AgreesWithAtrousConv2dOnEverySmallProblem) {
  std::mt19937 random(1);
  int count = 0;
  for (const auto [H, W, kh, kw, rate, same] : Grid<6>{{6, 5, 3, 4, 3, 2}}) {
    Problem problem;
    problem.src.dims = {2, H, W, 2};
    problem.weights.dims = {kh + 1, kw + 1, 2, 3};
    problem.attributes =
        AtrousConv2dAttributes{rate + 1, same == 1 ? TfPadding::kSame : TfPadding::kValid};
    if (agrees(problem, random)) ++count;
  }
  std::cout << count << " problems agree\n";
  EXPECT_EQ(count, 1461);
}

TEST(Scatter, AgreesWithConvolution1OnRandomProblemsOfFourToSixAxes) {
  std::mt19937 random(7);
  const auto below = [&](Extent end) {
    return static_cast<Extent>(random() % static_cast<std::uint64_t>(end));
  };
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<Choice> axes;
    for (int axis = 4 + i % 3; axis-- > 0;) {
      axes.push_back({1 + below(3), 1 + below(2), 1 + below(2), 1 + below(2), below(2), below(2)});
    }
    Problem problem = problem_of<Convolution1Attributes>(axes, kAutoPads[below(4)], 1 + below(2),
                                                         1 + below(2), below(2) == 0);
    problem.reading = below(2) == 0 ? Reading::kDocumented : Reading::kImplemented;
    compared += agrees(problem, random) ? 1 : 0;
  }
  EXPECT_GT(compared, 150);
}

}  // namespace
}  // namespace concord::reference
