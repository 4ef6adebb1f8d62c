// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/real_draw.h"
#include "conformance/judge/trust.h"

namespace concord::conformance {
namespace {

// Every axis has its own extent, so that a swap shows. The last ones: many products, one channel a
// group, a window larger than the input, a stride beyond the kernel, and a single output.
constexpr const char* kGeometries[] = {
    "src=2x4x9x10 weights=6x2x3x2 bias=6 strides=2,2 pads_begin=1,2 pads_end=0,3 groups=2",
    "src=1x3x11x7 weights=5x3x3x3 auto_pad=same_upper",
    "src=2x5x17 weights=7x5x4 bias=7 strides=3 pads_begin=2 pads_end=1",
    "src=1x2x5x6x7 weights=3x2x2x3x1 pads_begin=1,1,0 pads_end=0,1,0",
    "src=1x256x5x4 weights=3x256x3x3 bias=3 pads_begin=1,1 pads_end=1,1",
    "src=1x6x8x9 weights=6x1x5x3 bias=6 groups=6 auto_pad=same_lower",
    "src=1x2x4x3 weights=3x2x3x3 dilations=3,2 pads_begin=3,2 pads_end=3,2",
    "src=3x2x13x12 weights=4x2x1x1 bias=4 strides=3,4",
    "src=1x40x3x3 weights=2x40x3x3 bias=2",
};

constexpr const char* kClasses[] = {"strict",
                                    "f16-accumulate",
                                    "bf16-accumulate",
                                    "f64-accumulate",
                                    "tf32",
                                    "bf16",
                                    "bf16x3",
                                    "accumulator_rounding=zero,output_rounding=zero,flush"};

Problem problem_of(Dtype dtype, const char* geometry) {
  const auto problem = parse("Convolution " + std::string(to_string(dtype)) + " " + geometry +
                             " data_format=NCX weights_format=OIX");
  EXPECT_TRUE(problem) << geometry << ": " << problem.why().detail;
  return *problem;
}

struct Sample {
  Problem problem;
  reference::Geometry geometry;
  concord_arithmetic arithmetic;
  Inputs inputs;
  reference::Oracle oracle;
};

Sample make_sample(Fill fill, Dtype dtype, const char* geometry, const char* arithmetic = "strict",
                   std::uint64_t seed = 1) {
  const Problem problem = problem_of(dtype, geometry);
  const auto resolved = reference::resolve_discrete(problem);
  EXPECT_TRUE(resolved) << resolved.why().detail;
  const concord_arithmetic parsed = *parse_arithmetic(arithmetic);
  Inputs inputs = fill_inputs(fill, seed, dtype, *resolved, problem.bias.has_value(), parsed);
  reference::Oracle oracle =
      reference::evaluate_discrete(problem, *resolved, inputs.src, inputs.weights, inputs.bias);
  return {problem, *resolved, parsed, std::move(inputs), std::move(oracle)};
}

template <class Check>
void for_every_sample(std::initializer_list<Fill> fills, Check check) {
  for (const Fill fill : fills) {
    for (const Dtype dtype : kDtypes) {
      for (const char* geometry : kGeometries) {
        for (const char* arithmetic : kClasses) {
          SCOPED_TRACE(std::string(to_string(fill)) + " " + std::string(to_string(dtype)) + " " +
                       arithmetic + " " + geometry);
          check(fill, make_sample(fill, dtype, geometry, arithmetic));
        }
      }
    }
  }
}

TEST(Fill, MakesInputsOfTheGeometrysSizesThatTheDtypeCanHold) {
  for_every_sample(
      {Fill::kIntegers, Fill::kImpulse, Fill::kRamp, Fill::kSubnormal, Fill::kUniform, Fill::kWide,
       Fill::kOverflow},
      [](Fill, const Sample& s) {
        const reference::Geometry& g = s.geometry;
        ASSERT_EQ(s.inputs.src.size(),
                  static_cast<std::size_t>(g.N * g.IC * reference::volume(g.I)));
        ASSERT_EQ(s.inputs.weights.size(), static_cast<std::size_t>(g.OC * g.products()));
        ASSERT_EQ(s.inputs.bias.size(), s.problem.bias ? static_cast<std::size_t>(g.OC) : 0U);
        for (const auto* values : {&s.inputs.src, &s.inputs.weights, &s.inputs.bias}) {
          for (const double value : *values) {
            ASSERT_EQ(round_to(s.problem.dtype, value), value);
          }
        }
      });
}

// Integers whose magnitudes sum to at most 2^p: every partial sum is an integer of at most p bits,
// whatever the order, and so is every product by itself.
TEST(Fill, HasOneBiasForAllChannelsHoweverManyThereAre) {
  for (const char* weights : {"3x3x2x0", "3x3x2x1", "3x3x2x5"}) {
    const Problem problem = *parse("Convolution1 f32 src=1x6x5x2 weights=" + std::string(weights) +
                                   " bias=1 data_format=NXC filter_format=XIO reading=documented");
    const auto resolution = reference::resolve(problem);
    ASSERT_TRUE(resolution) << weights;
    for (const Fill fill : {Fill::kIntegers, Fill::kUniform, Fill::kSparse, Fill::kSpecial}) {
      EXPECT_EQ(fill_inputs(fill, 1, problem, *resolution, {}).bias.size(), 1U) << weights;
    }
  }
}

TEST(ExactFills, KeepEverySumExactInTheDeclaredAccumulator) {
  for_every_sample({Fill::kIntegers, Fill::kRamp}, [](Fill, const Sample& s) {
    const double limit = std::ldexp(1.0, accumulator_of(s.problem.dtype, s.arithmetic).bits);
    const double input = std::ldexp(1.0, exact_input_bits(s.problem.dtype, s.arithmetic));
    for (const double sum : s.oracle.magnitude) ASSERT_LE(sum, limit);
    for (const auto* values : {&s.inputs.src, &s.inputs.weights}) {
      for (const double value : *values) {
        ASSERT_EQ(value, std::round(value));
        ASSERT_LE(std::fabs(value), input);
      }
    }
    for (const double y : s.oracle.value) {
      ASSERT_LE(std::fabs(y), format_of(s.problem.dtype).largest());
    }
  });
}

TEST(IntegerLimits, HoldForAnyNumberOfProducts) {
  for (const Dtype dtype : kDtypes) {
    for (const char* text : kClasses) {
      const concord_arithmetic arithmetic = *parse_arithmetic(text);
      for (Extent n = 1; n < 3'000'000; n += 1 + n / 3) {
        for (const bool has_bias : {false, true}) {
          const IntegerLimits limits = integer_limits(dtype, arithmetic, n, has_bias);
          EXPECT_LE(limits.taps * limits.src * limits.weights + limits.bias,
                    exact_sum(dtype, arithmetic));
          EXPECT_GE(limits.src, 3);
          EXPECT_GE(limits.weights, 3);
          EXPECT_GE(limits.taps, std::min<Extent>(n, 26));
          EXPECT_LE(limits.taps, n);
          EXPECT_EQ(limits.bias > 0, has_bias);
        }
      }
    }
  }
}

TEST(ImpulseFill, ShowsEachOutputAtMostOneProductWhichIsAWeight) {
  for_every_sample({Fill::kImpulse}, [](Fill, const Sample& s) {
    const std::set<double> weights(s.inputs.weights.begin(), s.inputs.weights.end());
    std::size_t shown = 0;
    for (std::size_t i = 0; i < s.oracle.value.size(); ++i) {
      const double y = s.oracle.value[i];
      ASSERT_EQ(std::fabs(y), s.oracle.magnitude[i]);
      if (y == 0) continue;
      ++shown;
      ASSERT_TRUE(weights.count(y)) << y;
    }
    EXPECT_GT(shown, 0U);
  });
}

TEST(ImpulseFill, ShowsTheBiasWhereEveryWindowLiesInPadding) {
  const Sample s = make_sample(Fill::kImpulse, Dtype::kF32,
                               "src=1x3x1 weights=2x3x2 bias=2 pads_begin=1 pads_end=2 strides=2 "
                               "dilations=3");
  ASSERT_EQ(s.oracle.value.size(), 2U);
  EXPECT_EQ(s.oracle.value, s.inputs.bias);
  EXPECT_NE(s.inputs.bias[0], 0);
  EXPECT_NE(s.inputs.bias[0], s.inputs.bias[1]);
}

TEST(ImpulseFill, ShowsTheBiasWhereThereAreNoInputChannels) {
  const Sample s = make_sample(Fill::kImpulse, Dtype::kF32, "src=2x0x4x3 weights=3x0x2x2 bias=3");
  for (const double bias : s.inputs.bias) EXPECT_NE(bias, 0);
}

TEST(ImpulseFill, ReachesBothEndsOfEveryAxisOverAFewSeeds) {
  std::set<Extent> rows;
  std::set<Extent> columns;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Sample s = make_sample(Fill::kImpulse, Dtype::kF32, kGeometries[1], "strict", seed);
    for (std::size_t i = 0; i < s.inputs.src.size(); ++i) {
      if (s.inputs.src[i] == 0) continue;
      rows.insert(static_cast<Extent>(i) / 7 % 11);
      columns.insert(static_cast<Extent>(i) % 7);
    }
  }
  EXPECT_TRUE(rows.count(0) && rows.count(10));
  EXPECT_TRUE(columns.count(0) && columns.count(6));
}

TEST(RampFill, CodesNeighboursOnEveryAxisDifferently) {
  for (const Dtype dtype : kDtypes) {
    const Sample s = make_sample(Fill::kRamp, dtype, kGeometries[4]);
    const std::size_t strides[] = {1, 4, 20};  // of IW, IH and IC in src 1x256x5x4
    for (const std::size_t stride : strides) {
      for (std::size_t i = 0; i + stride < s.inputs.src.size(); ++i) {
        ASSERT_NE(s.inputs.src[i], s.inputs.src[i + stride]) << stride;
      }
    }
  }
}

TEST(RampFill, GivesEveryOutputChannelOneTap) {
  for_every_sample({Fill::kRamp}, [](Fill, const Sample& s) {
    const auto ones = std::count(s.inputs.weights.begin(), s.inputs.weights.end(), 1.0);
    EXPECT_EQ(ones, s.geometry.OC);
  });
}

TEST(RealFills, KeepHalvesFromOverflowingAndFromBeingSubnormal) {
  for (const Fill fill : {Fill::kUniform, Fill::kWide}) {
    for (const char* geometry : kGeometries) {
      const Sample s = make_sample(fill, Dtype::kF16, geometry, "f16-accumulate");
      for (const double sum : s.oracle.magnitude) ASSERT_LE(sum, 32768);
      for (const double x : s.inputs.src) ASSERT_TRUE(x == 0 || std::fabs(x) >= 0x1p-14);
    }
  }
}

// Mean 0 and variance 1/3, each within five of its own standard deviations.
TEST(UniformFill, HasTheMomentsOfItsDistribution) {
  const Sample s = make_sample(Fill::kUniform, Dtype::kF32, "src=1x100x100x10 weights=1x100x1x1");
  const auto count = static_cast<double>(s.inputs.src.size());
  double sum = 0;
  double squares = 0;
  for (const double x : s.inputs.src) {
    sum += x;
    squares += x * x;
  }
  EXPECT_LT(std::fabs(sum / count), 5 * std::sqrt(1 / 3.0 / count));
  EXPECT_LT(std::fabs(squares / count - 1 / 3.0), 5 * std::sqrt(4 / 45.0 / count));
}

struct Exponents {
  int least, most;
};
Exponents exponents_of(const std::vector<double>& values) {
  const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const auto [least, most] = std::minmax_element(values.begin(), values.end(), smaller);
  return {std::ilogb(*least), std::ilogb(*most)};
}

TEST(WideFill, ReachesBothEndsOfItsExponents) {
  const Sample s = make_sample(Fill::kWide, Dtype::kBF16, "src=1x10x10x100 weights=1x10x1x1");
  const Exponents e = exponents_of(s.inputs.src);
  EXPECT_GE(e.most - e.least, 40);
}

TEST(WideFill, ScalesTheFactorsOfAProductAgainstEachOther) {
  constexpr const char* kProblem = "src=1x10x10x100 weights=100x10x1x1";
  int least = 0, most = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Sample s = make_sample(Fill::kWide, Dtype::kF32, kProblem, "strict", seed);
    const Exponents src = exponents_of(s.inputs.src), weights = exponents_of(s.inputs.weights);
    EXPECT_NEAR(src.least + weights.least, -40, 2);
    EXPECT_NEAR(src.most + weights.most, 41, 2);
    for (const int each : {src.least, weights.least}) EXPECT_GE(each, -126 + 24);
    least = std::min(least, src.least);
    most = std::max(most, src.most);
  }
  EXPECT_LE(least, -95);
  EXPECT_GE(most, 100);  // beyond 1e30
  EXPECT_EQ(exponent_between_factors(Fill::kUniform, 1, Dtype::kF32, {}), 0);
  EXPECT_EQ(exponent_between_factors(Fill::kWide, 1, Dtype::kF16, {}), 0);
  concord_arithmetic bilinear{};
  bilinear.algorithm = CONCORD_BILINEAR;
  EXPECT_EQ(exponent_between_factors(Fill::kWide, 1, Dtype::kF32, bilinear), 0);
}

// What each fill makes has been hashed by fill_golden.py, which shares no code with it.
std::uint64_t hash(const Inputs& inputs) {
  std::uint64_t state = 0xCBF29CE484222325U;
  for (const auto* values : {&inputs.src, &inputs.weights, &inputs.bias}) {
    for (const double value : *values) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (int byte = 0; byte < 8; ++byte) {
        state = (state ^ ((bits >> (8 * byte)) & 0xFF)) * 0x100000001B3U;
      }
    }
  }
  return state;
}

TEST(Fill, OfOneSeedIsTheSameOnEveryMachine) {
  EXPECT_EQ(hash(make_sample(Fill::kUniform, Dtype::kF32, kGeometries[0], "strict", 42).inputs),
            6980159751467275283U);
  EXPECT_EQ(hash(make_sample(Fill::kUniform, Dtype::kBF16, kGeometries[2], "strict", 7).inputs),
            12960332973528804308U);
  EXPECT_EQ(hash(make_sample(Fill::kWide, Dtype::kF16, kGeometries[0], "strict", 42).inputs),
            12071315363379562461U);
  EXPECT_EQ(hash(make_sample(Fill::kIntegers, Dtype::kF32, kGeometries[0], "strict", 42).inputs),
            4006413274331847977U);
}

TEST(Fill, OfAnotherSeedIsAnother) {
  for (const Fill fill : kFills) {
    EXPECT_NE(hash(make_sample(fill, Dtype::kF32, kGeometries[0], "strict", 1).inputs),
              hash(make_sample(fill, Dtype::kF32, kGeometries[0], "strict", 2).inputs));
  }
}

TEST(Fill, KeepsATensorsValuesWhenAnotherTensorGrows) {
  const auto a = make_sample(Fill::kIntegers, Dtype::kF32, "src=1x2x9 weights=3x2x2 bias=3");
  const auto b = make_sample(Fill::kIntegers, Dtype::kF32, "src=1x2x11 weights=3x2x2 bias=3");
  EXPECT_EQ(a.inputs.weights, b.inputs.weights);
  EXPECT_EQ(a.inputs.bias, b.inputs.bias);
}

OutputShape shape_of(const reference::Geometry& g) {
  return output_shape(
      {g.N, g.OC, g.O[reference::kDepth], g.O[reference::kHeight], g.O[reference::kWidth]}, g.G);
}

// A wrong output of any planted kind is rejected, for every fill, dtype and class, but that narrow
// accumulators have no useful bound for real numbers and 2304 products, and that an impulse or a
// single weight a channel may leave some channels, groups or images alike.
TEST(Fill, LetsTheJudgeRejectEveryPlantedOutput) {
  for_every_sample({Fill::kIntegers, Fill::kUniform, Fill::kWide}, [](Fill fill, const Sample& s) {
    const concord_arithmetic& a = s.arithmetic;
    const bool narrow =
        a.accumulator == CONCORD_ACCUMULATE_F16 || a.accumulator == CONCORD_ACCUMULATE_BF16;
    if (narrow && !is_exact(fill, a)) return;
    const Trust trust =
        is_exact(fill, a)
            ? assess_exact(s.problem.dtype, a, shape_of(s.geometry), s.oracle.value)
            : assess_interval(s.problem.dtype, a, s.geometry.products(), shape_of(s.geometry),
                              s.oracle.value, s.oracle.magnitude);
    EXPECT_TRUE(trust.can_reject());
    EXPECT_EQ(trust.describe(), "");
  });
  for_every_sample({Fill::kImpulse, Fill::kRamp}, [](Fill, const Sample& s) {
    EXPECT_TRUE(assess_exact(s.problem.dtype, s.arithmetic, shape_of(s.geometry), s.oracle.value)
                    .can_reject());
  });
}

bool is_zero(double value) { return value == 0; }

// How many weights of a channel are not 0.
std::size_t weights_of(const Sample& s, std::size_t oc) {
  const auto run = static_cast<std::ptrdiff_t>(s.geometry.products());
  const auto begin = s.inputs.weights.begin() + static_cast<std::ptrdiff_t>(oc) * run;
  return static_cast<std::size_t>(run - std::count_if(begin, begin + run, is_zero));
}

// An output is one product of inputs that survive the demotion or a bias. Where a store of 16 bits
// hides an accumulator of f32, two others cancel in every second channel; elsewhere the sum of two.
TEST(SparseFill, HasOneProductAnOutputOrTwoOrAlsoAPairThatCancels) {
  for_every_sample({Fill::kSparse}, [](Fill, const Sample& s) {
    const bool pairs =
        s.problem.dtype != Dtype::kF32 && accumulator_of(s.problem.dtype, s.arithmetic).bits == 24;
    const int bits = exact_input_bits(s.problem.dtype, s.arithmetic);
    for (const auto* values : {&s.inputs.src, &s.inputs.weights}) {
      for (const double value : *values) {
        ASSERT_EQ(round_to_bits(bits, value, Rounding::kNearest), value);
      }
    }
    std::size_t seen = 0, cancelling = 0;
    for (std::size_t i = 0; i < s.oracle.value.size(); ++i) {
      const double value = std::fabs(s.oracle.value[i]), magnitude = s.oracle.magnitude[i];
      seen += value != 0 ? 1U : 0U;
      if (value == magnitude) continue;
      ASSERT_TRUE(pairs) << i;
      cancelling += magnitude > 100 * value ? 1U : 0U;
    }
    EXPECT_GT(3 * seen, s.oracle.value.size());
    for (std::size_t oc = 0; oc < static_cast<std::size_t>(s.geometry.OC); ++oc) {
      const std::size_t count = weights_of(s, oc);
      const bool has_bias = !s.inputs.bias.empty() && s.inputs.bias[oc] != 0;
      EXPECT_EQ(count == 0, has_bias);
      EXPECT_LE(count, pairs ? 3U : 2U);
    }
    EXPECT_EQ(cancelling > 0, pairs && s.geometry.products() >= 3);
  });
}

// The products are exact, their sum is not: in the accumulator of the class.
TEST(SparseFill, HasSumsThatRound) {
  struct Row {
    Dtype dtype;
    const char* declared;
  };
  for (const auto& [dtype, declared] :
       {Row{Dtype::kF32, "strict"}, Row{Dtype::kF32, "tf32"}, Row{Dtype::kF32, "bf16"},
        Row{Dtype::kF16, "f16-accumulate"}, Row{Dtype::kBF16, "bf16-accumulate"},
        Row{Dtype::kBF16, "f16-accumulate"}}) {
    SCOPED_TRACE(declared);
    const Sample s = make_sample(Fill::kSparse, dtype, "src=1x8x1x1 weights=64x8x1x1", declared, 3);
    const int kept = accumulator_of(dtype, s.arithmetic).bits;
    const auto fits = [&](double v) { return round_to_bits(kept, v, Rounding::kZero) == v; };
    std::size_t sums = 0, rounded = 0;
    for (std::size_t oc = 0; oc < 64; ++oc) {
      if (weights_of(s, oc) != 2) continue;
      ++sums;
      rounded += fits(s.oracle.value[oc]) ? 0U : 1U;
      for (std::size_t ic = 0; ic < 8; ++ic) {
        EXPECT_TRUE(fits(s.inputs.src[ic] * s.inputs.weights[8 * oc + ic]));
      }
    }
    EXPECT_EQ(sums, 32U);
    EXPECT_GT(rounded, 24U);
  }
}

// Of a bilinear class one element a channel of an image, and powers of two, so that transforms of
// src are exact; every output channel sees one in some image, or its bias.
TEST(SparseFill, HasOneElementAChannelOfABilinearClass) {
  for (const char* geometry : kGeometries) {
    SCOPED_TRACE(geometry);
    const Sample s = make_sample(Fill::kSparse, Dtype::kBF16, geometry, "bilinear", 3);
    const auto nonzero = [](const std::vector<double>& values) {
      return std::ssize(values) - std::count_if(values.begin(), values.end(), is_zero);
    };
    EXPECT_EQ(nonzero(s.inputs.src),
              s.geometry.N * s.geometry.G * std::min<Extent>(s.geometry.ICG(), 64));
    EXPECT_EQ(nonzero(s.inputs.weights) + nonzero(s.inputs.bias), s.geometry.OC);
    EXPECT_GE(nonzero(s.oracle.value), s.geometry.OC);
    for (const auto* values : {&s.inputs.src, &s.inputs.weights}) {
      for (const double v : *values) EXPECT_EQ(round_to_bits(1, v, Rounding::kZero), v);
    }
  }
}

TEST(SparseFill, ShowsTheBiasWhereNoProductIsSeen) {
  const Sample s = make_sample(Fill::kSparse, Dtype::kF32, "src=2x0x4x3 weights=3x0x2x2 bias=3");
  for (const double y : s.oracle.value) EXPECT_NE(y, 0);
}

// One pixel, one channel: all channels have the same tap of the same pixel.
TEST(RampFill, TellsChannelsOfASingleTapApart) {
  for (const Dtype dtype : kDtypes) {
    const Sample s = make_sample(Fill::kRamp, dtype, "src=1x1x1x1 weights=32x1x1x1");
    const Trust trust = assess_exact(dtype, s.arithmetic, shape_of(s.geometry), s.oracle.value);
    EXPECT_EQ(trust.describe(), "");
  }
}

}  // namespace
}  // namespace concord::conformance
