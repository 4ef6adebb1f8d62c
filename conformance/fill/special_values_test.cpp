// SPDX-License-Identifier: Apache-2.0
// Special values from the fill to the verdict.
#include "conformance/fill/special_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/judge_special.h"
#include "conformance/judge/trust.h"
#include "spec/grid.h"
#include "spec/rounding.h"

namespace concord::conformance {
namespace {

using Values = std::vector<double>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Sample {
  Problem problem;
  reference::Geometry geometry;
  Inputs inputs;
  reference::Oracle oracle;
};

OutputShape shape_of(const reference::Geometry& g) {
  return output_shape(
      {g.N, g.OC, g.O[reference::kDepth], g.O[reference::kHeight], g.O[reference::kWidth]}, g.G);
}

Sample evaluate(const Problem& problem, const reference::Geometry& geometry, Inputs inputs) {
  auto oracle =
      reference::evaluate_discrete(problem, geometry, inputs.src, inputs.weights, inputs.bias);
  return {problem, geometry, std::move(inputs), std::move(oracle)};
}

Sample make_sample(SpecialPlace place, std::uint64_t seed) {
  const auto problem = parse(
      "Convolution f32 src=2x4x7x9 weights=6x2x3x2 bias=6 pads_begin=1,1 pads_end=1,0 groups=2 "
      "data_format=NCX weights_format=OIX");
  const auto geometry = reference::resolve_discrete(*problem);
  Inputs inputs = fill_inputs(Fill::kUniform, seed, Dtype::kF32, *geometry, true, {});
  plant_values(special_values(), place, seed, *geometry, inputs);
  return evaluate(*problem, *geometry, std::move(inputs));
}

// By hand: one row, padding 1 before it; o = 0 sees padding at tap 0.
Sample row(Values src, Values weights) {
  const auto problem = parse(
      "Convolution f32 src=1x1x3 weights=1x1x2 pads_begin=1 data_format=NCX "
      "weights_format=OIX pads_end=0");
  return evaluate(*problem, *reference::resolve_discrete(*problem),
                  {std::move(src), std::move(weights), {}});
}

Finding judge(const Sample& s, const Values& got, const char* arithmetic = "strict") {
  const concord_arithmetic own = *parse_arithmetic(arithmetic);
  const ErrorBound bound = error_bound(s.problem.dtype, own, s.geometry.products());
  return judge_special(s.problem.dtype, own, bound, s.geometry, s.inputs.weights, got,
                       s.oracle.value, s.oracle.magnitude);
}

Values rounded(const Sample& s) {
  Values got = s.oracle.value;
  for (double& y : got) y = round_to(s.problem.dtype, y);
  return got;
}

// A kernel that multiplies what lies beyond a window, along its rows, by zeros: what is not finite
// there makes NaN of the output.
Values spread(const Sample& s, Extent before, Extent beyond) {
  constexpr std::size_t kHeight = reference::kSpatialRank - 2, kWidth = kHeight + 1;
  const reference::Geometry& g = s.geometry;
  Values got = rounded(s);
  const Grid src(reference::joined(g.N, g.IC, g.I));
  std::size_t at = 0;
  for (const auto& place : Grid(reference::joined(g.N, g.OC, g.O))) {
    const reference::Spatial o = reference::spatial_part(place);
    double& output = got[at++];
    const Extent first = place[1] / g.OCG() * g.ICG();
    for (Extent c = first; c < first + g.ICG(); ++c) {
      for (Extent row = 0; row < g.K[kHeight]; ++row) {
        for (Extent column = -before; column < g.K[kWidth] + beyond; ++column) {
          reference::Spatial i = o;
          i[kHeight] = o[kHeight] * g.S[kHeight] - g.P_begin[kHeight] + row;
          i[kWidth] = o[kWidth] * g.S[kWidth] - g.P_begin[kWidth] + column;
          if (i[kHeight] < 0 || i[kHeight] >= g.I[kHeight]) continue;
          if (i[kWidth] < 0 || i[kWidth] >= g.I[kWidth]) continue;
          const double x = s.inputs.src[src.offset(reference::joined(place[0], c, i))];
          if (!std::isfinite(x)) output = kNaN;
        }
      }
    }
  }
  return got;
}

TEST(SpecialValues, ShowWhatIsReadBesideAWindow) {
  for (const char* line :
       {"Convolution f32 src=1x1x5x12 weights=2x1x5x5 data_format=NCX weights_format=OIX",
        "Convolution f32 src=1x9x9x33 weights=5x5x1x33 groups=33 strides=2,2 data_format=NXC "
        "weights_format=XIO"}) {
    const auto problem = parse(line);
    const auto geometry = reference::resolve_discrete(*problem);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Sample s =
          evaluate(*problem, *geometry,
                   fill_inputs(Fill::kSpecial, seed, Dtype::kF32, *geometry, false, {}));
      EXPECT_TRUE(judge(s, rounded(s)).passed()) << line << seed;
      EXPECT_FALSE(judge(s, spread(s, 0, 3)).passed()) << line << seed;
      const bool all_in_src = seed % 2 == 0;
      EXPECT_TRUE(!all_in_src || !judge(s, spread(s, 3, 0)).passed()) << line << seed;
    }
  }
}

TEST(SpecialValues, ReachSomeOutputsAndLeaveOthers) {
  for (const SpecialPlace place : {SpecialPlace::kSrc, SpecialPlace::kWeights}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Sample s = make_sample(place, seed);
      const auto finite = std::count_if(s.oracle.value.begin(), s.oracle.value.end(),
                                        [](double y) { return std::isfinite(y); });
      EXPECT_GT(finite, 0);
      EXPECT_LT(finite, static_cast<std::ptrdiff_t>(s.oracle.value.size()));
      EXPECT_TRUE(judge(s, rounded(s)).passed());
    }
  }
}

TEST(SpecialFills, MakeOneBiasSpecialInHalfOfTheCasesThatHaveSeveral) {
  const auto special_biases = [](const char* line, std::uint64_t seed) {
    const Problem problem = *parse(line);
    const auto resolution = reference::resolve(problem).value();
    Values biases = fill_inputs(Fill::kSpecial, seed, problem, resolution, {}).bias;
    std::erase_if(biases, [](double value) { return std::isfinite(value); });
    return biases;
  };
  Values of_many;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    const auto more = special_biases("Convolution f32 src=1x6x5x2 weights=3x3x2x4 bias=4", seed);
    EXPECT_LE(more.size(), 1U);
    of_many.insert(of_many.end(), more.begin(), more.end());
    EXPECT_EQ(special_biases("Convolution f32 src=1x6x5x2 weights=3x3x2x1 bias=1", seed), Values{});
  }
  EXPECT_EQ(of_many.size(), 32U);
  const auto count = [&](auto is) { return std::count_if(of_many.begin(), of_many.end(), is); };
  EXPECT_GE(count([](double value) { return value == kInfinity; }), 4);
  EXPECT_GE(count([](double value) { return value == -kInfinity; }), 4);
  EXPECT_GE(count([](double value) { return std::isnan(value); }), 4);
}

TEST(SpecialTier, RejectsWhatIsSwallowedOrSpread) {
  for (const SpecialPlace place : {SpecialPlace::kSrc, SpecialPlace::kWeights}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Sample s = make_sample(place, seed);
      for (std::size_t i = 0; i < s.oracle.value.size(); i += 7) {
        Values got = rounded(s);
        if (std::isnan(got[i])) {
          got[i] = kInfinity;  // Inf is not NaN
          EXPECT_FALSE(judge(s, got).passed());
          got[i] = 0;
          EXPECT_FALSE(judge(s, got).passed());
        } else if (std::isinf(got[i])) {
          got[i] = -got[i];
          EXPECT_FALSE(judge(s, got).passed());
          got[i] = 3.4e38;
          EXPECT_FALSE(judge(s, got).passed());
        } else {
          got[i] = kNaN;
          EXPECT_FALSE(judge(s, got).passed());
          got[i] = kInfinity;
          EXPECT_FALSE(judge(s, got).passed());
        }
      }
    }
  }
}

TEST(SpecialTier, AcceptsPaddingLeftOutOrMultipliedButNotAMixture) {
  const Sample s = row({1, 2, 3}, {kInfinity, 1});
  EXPECT_TRUE(judge(s, {1, kInfinity, kInfinity}).passed());
  EXPECT_TRUE(judge(s, {kNaN, kInfinity, kInfinity}).passed());
  EXPECT_FALSE(judge(s, {kInfinity, kInfinity, kInfinity}).passed());
  EXPECT_FALSE(judge(s, {kNaN, kNaN, kInfinity}).passed());

  const auto problem = parse(
      "Convolution f32 src=1x1x2 weights=1x1x3 pads_begin=1 pads_end=1 data_format=NCX "
      "weights_format=OIX");
  const Sample both = evaluate(*problem, *reference::resolve_discrete(*problem),
                               {{1, 2}, {kInfinity, 1, -kInfinity}, {}});
  // o = 0: padding * Inf + 1 - 2 Inf; o = 1: Inf + 2 - padding * Inf.
  EXPECT_TRUE(judge(both, {-kInfinity, kInfinity}).passed());
  EXPECT_TRUE(judge(both, {kNaN, kNaN}).passed());
  EXPECT_FALSE(judge(both, {kNaN, kInfinity}).passed());
}

// By hand: two rows and two columns, padding 1 before each; the tap at 0,0 is infinite, and lies
// outside in both directions of the output at 0,0, in one of those at 0,1 and 1,0.
TEST(SpecialTier, AcceptsPaddingMultipliedAlongSomeAxes) {
  const auto problem = parse(
      "Convolution f32 src=1x1x2x2 weights=1x1x2x2 pads_begin=1,1 pads_end=0,0 data_format=NCX "
      "weights_format=OIX");
  const Sample s = evaluate(*problem, *reference::resolve_discrete(*problem),
                            {{1, 2, 3, 4}, {kInfinity, 1, 1, 1}, {}});
  EXPECT_TRUE(judge(s, {1, 3, 4, kInfinity}).passed());
  EXPECT_TRUE(judge(s, {kNaN, kNaN, kNaN, kInfinity}).passed());
  EXPECT_TRUE(judge(s, {1, 3, kNaN, kInfinity}).passed());   // columns multiplied, rows left out
  EXPECT_TRUE(judge(s, {1, kNaN, 4, kInfinity}).passed());   // rows multiplied, columns left out
  EXPECT_FALSE(judge(s, {kNaN, 3, 4, kInfinity}).passed());  // the corner alone
  EXPECT_FALSE(judge(s, {1, kNaN, kNaN, kInfinity}).passed());
  EXPECT_FALSE(judge(s, {kNaN, 3, kNaN, kInfinity}).passed());
  EXPECT_FALSE(judge(s, {1, 3, kNaN, kNaN}).passed());
}

TEST(SpecialTier, KnowsThatInfinityTimesZeroIsNotANumber) {
  const Sample s = row({kInfinity, 2, 3}, {0, 1});
  EXPECT_TRUE(std::isnan(s.oracle.value[1]));
  EXPECT_TRUE(judge(s, {kInfinity, kNaN, 3}).passed());
  EXPECT_FALSE(judge(s, {kInfinity, 2, 3}).passed());
}

// By the fills themselves, on shapes from one output to many: what is planted reaches an output,
// the outputs differ, and the planted wrong ones are rejected.
TEST(SpecialFills, ReachOutputsAndLeaveThemApart) {
  constexpr const char* kShapes[] = {
      "src=2x4x7x9 weights=6x2x3x2 bias=6 pads_begin=1,1 pads_end=1,0 groups=2",
      "src=1x1x1x1 weights=2x1x1x1",
      "src=1x3x3x2 weights=1x3x3x2",
      "src=1x3x3x2 weights=2x3x3x2",
      "src=1x2x1x3 weights=1x2x3x3 pads_begin=2,2 pads_end=2,2",
      "src=1x512x3x3 weights=3x512x3x3 pads_begin=1,1 pads_end=1,1",
  };
  for (const Fill fill : {Fill::kSpecial, Fill::kOverflow}) {
    for (const Dtype dtype : kDtypes) {
      for (const char* shape : kShapes) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
          SCOPED_TRACE(std::string(to_string(fill)) + " " + std::string(to_string(dtype)) + " " +
                       shape + ", seed " + std::to_string(seed));
          const auto problem = parse("Convolution " + std::string(to_string(dtype)) + " " + shape +
                                     " data_format=NCX weights_format=OIX");
          if (why_no_fill(fill, *problem)) continue;
          const auto geometry = reference::resolve_discrete(*problem);
          Inputs inputs = fill_inputs(fill, seed, dtype, *geometry, problem->bias.has_value(), {});
          const Sample s = evaluate(*problem, *geometry, std::move(inputs));
          const Values right = rounded(s);
          EXPECT_TRUE(
              std::any_of(right.begin(), right.end(), [](double y) { return !std::isfinite(y); }));
          EXPECT_TRUE(judge(s, right).passed());
          EXPECT_TRUE(assess_special(dtype, {}, error_bound(dtype, {}, geometry->products()),
                                     *geometry, shape_of(*geometry), s.inputs.weights,
                                     s.oracle.value, s.oracle.magnitude)
                          .can_reject());
        }
      }
    }
  }
}

TEST(OverflowFill, IsRejectedWhereAStoreSaturates) {
  for (const Dtype dtype : kDtypes) {
    const auto problem = parse("Convolution " + std::string(to_string(dtype)) +
                               " src=1x3x5x7 weights=4x3x2x2 data_format=NCX weights_format=OIX");
    if (why_no_fill(Fill::kOverflow, *problem)) continue;
    const auto geometry = reference::resolve_discrete(*problem);
    const Sample s =
        evaluate(*problem, *geometry, fill_inputs(Fill::kOverflow, 3, dtype, *geometry, false, {}));
    Values saturated = rounded(s);
    for (double& y : saturated) {
      if (std::isinf(y)) y = std::copysign(format_of(dtype).largest(), y);
    }
    EXPECT_FALSE(judge(s, saturated).passed());
    // A class that rounds toward zero has no infinities of its own.
    saturated = s.oracle.value;
    for (double& y : saturated) y = round_to(dtype, y, Rounding::kZero);
    EXPECT_TRUE(judge(s, saturated, "accumulator_rounding=zero,output_rounding=zero").passed());
  }
}

TEST(SubnormalFill, IsExactAndSubnormalButNormalForAClassThatFlushes) {
  for (const Dtype dtype : kDtypes) {
    const auto problem = parse("Convolution " + std::string(to_string(dtype)) +
                               " src=1x3x5x7 weights=4x3x2x2 bias=4 data_format=NCX "
                               "weights_format=OIX");
    const auto geometry = reference::resolve_discrete(*problem);
    const double normal = std::ldexp(1.0, format_of(dtype).min_exponent);
    for (const auto& [arithmetic, seed] : {std::pair{"strict", 2U}, std::pair{"strict", 3U},
                                           std::pair{"flush", 2U}, std::pair{"flush", 3U}}) {
      const Sample s = evaluate(*problem, *geometry,
                                fill_inputs(Fill::kSubnormal, seed, dtype, *geometry, true,
                                            *parse_arithmetic(arithmetic)));
      const bool flushes = arithmetic == std::string("flush");
      const double unit = flushes ? normal : format_of(dtype).smallest();
      const auto is_subnormal = [&](double y) { return y != 0 && std::fabs(y) < normal; };
      const Values& units = seed % 2 == 0 ? s.inputs.src : s.inputs.weights;
      EXPECT_EQ(std::any_of(units.begin(), units.end(), is_subnormal), !flushes);
      EXPECT_EQ(std::any_of(s.oracle.value.begin(), s.oracle.value.end(), is_subnormal), !flushes);
      for (const double S : s.oracle.magnitude) {
        EXPECT_EQ(S / unit, std::round(S / unit));
        EXPECT_LE(S / unit, 0x1p24);
      }
    }
  }
}

TEST(SpecialTier, LetsSplitInputsTurnInfinityIntoNotANumber) {
  const Sample s = row({kInfinity, 2, 3}, {1, 1});
  const Values got{kNaN, kNaN, 5};
  EXPECT_FALSE(judge(s, got).passed());
  EXPECT_TRUE(judge(s, got, "bf16x3").passed());
  EXPECT_FALSE(judge(s, {kInfinity, kInfinity, kNaN}, "bf16x3").passed());
}

TEST(SpecialTier, LetsABilinearClassSpreadButNotLose) {
  const Sample s = row({kInfinity, 2, 3}, {1, 1});
  EXPECT_TRUE(judge(s, {kNaN, kNaN, kNaN}, "bilinear").passed());
  EXPECT_TRUE(judge(s, {kInfinity, kInfinity, 5}, "bilinear").passed());
  EXPECT_FALSE(judge(s, {0, kInfinity, 5}, "bilinear").passed());
  EXPECT_FALSE(judge(s, {kInfinity, kInfinity, 9}, "bilinear").passed());
}

}  // namespace
}  // namespace concord::conformance
