// SPDX-License-Identifier: Apache-2.0
// Both sides of every bound: arithmetic of a class passes as that class, and coarser arithmetic is
// found, by the tier that is meant to find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/error_bound.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/power/simulated_arithmetic.h"

namespace concord::conformance {

void PrintTo(const Simulation& simulation, std::ostream* out) {  // NOLINT: gtest's name
  *out << simulation.name;
}

namespace {

constexpr concord_arithmetic kStrict{};

enum class Data { kSigned, kPositive, kWide, kTiny };

struct Outputs {
  Dtype dtype;
  Extent products;
  std::vector<double> got, want, magnitude;
  std::vector<double> bias;  ///< each output has its own
};

double draw(Data data, Dtype dtype, Xoshiro& random) {
  if (data == Data::kPositive) return round_to(dtype, random.unit());
  if (data == Data::kSigned) return round_to(dtype, 2 * random.unit() - 1);
  // Products near the smallest normal number of f32, inputs far above it; others between 1/64
  // and 2.
  const bool tiny = data == Data::kTiny && dtype != Dtype::kF16;
  const auto exponent = static_cast<int>(tiny ? random.between(-66, -60) : random.between(-6, 0));
  const auto sign = static_cast<double>(random.sign());
  return round_to(dtype, sign * std::ldexp(1 + random.unit(), exponent));
}

// Every output has inputs of its own.
Outputs compute(const Simulation& simulation, Extent products, std::size_t count, Data data,
                std::uint64_t seed = 1) {
  Outputs outputs{simulation.dtype, products, {}, {}, {}, {}};
  Xoshiro random(seed, static_cast<std::uint64_t>(products));
  std::vector<double> x(static_cast<std::size_t>(products));
  std::vector<double> w(x.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double bias = i % 2 == 0 ? 0 : draw(data, simulation.dtype, random);
    double want = bias;
    double magnitude = std::fabs(bias);
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = draw(data, simulation.dtype, random);
      w[k] = draw(data, simulation.dtype, random);
      want += x[k] * w[k];
      magnitude += std::fabs(x[k] * w[k]);
    }
    outputs.got.push_back(simulation.dot(x, w, bias));
    outputs.want.push_back(want);
    outputs.magnitude.push_back(magnitude);
    outputs.bias.push_back(bias);
  }
  return outputs;
}

Finding interval(const Outputs& o, const std::string& arithmetic) {
  return judge_interval(o.dtype, *parse_arithmetic(arithmetic), o.products, o.got, o.want,
                        o.magnitude, {o.bias});
}

// Each output is a channel, for it has weights of its own.
ErrorSums sums_of(const Outputs& o, const concord_arithmetic& arithmetic, double largest = 1) {
  ErrorModel model{o.dtype, arithmetic, o.products, largest};
  model.channels = accumulator_of(o.dtype, arithmetic).faithful ? 0 : o.got.size();
  return sum_errors(model, o.got, o.want, o.magnitude);
}

StatisticalFinding statistics(const Outputs& o, const std::string& arithmetic) {
  const concord_arithmetic declared = *parse_arithmetic(arithmetic);
  return judge_statistical(o.dtype, declared, sums_of(o, declared));
}

class OwnClass : public testing::TestWithParam<Simulation> {};
INSTANTIATE_TEST_SUITE_P(Simulations, OwnClass,
                         testing::ValuesIn(simulations().begin(), simulations().end()),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

// How many outputs of each class are judged: CONCORD_POWER_OUTPUTS, or 200,000.
std::size_t outputs_wanted() {
  const char* text = std::getenv("CONCORD_POWER_OUTPUTS");
  return text == nullptr ? 200'000 : std::stoull(text);
}

TEST_P(OwnClass, PassesTheIntervalTierOnHundredsOfThousandsOfOutputs) {
  const Simulation& s = GetParam();
  std::size_t judged = 0;
  for (const Data data : {Data::kSigned, Data::kPositive, Data::kWide, Data::kTiny}) {
    for (const Extent products : {1, 2, 3, 5, 8}) {
      const Finding finding =
          interval(compute(s, products, outputs_wanted() / 20 + 1, data), s.arithmetic);
      judged += finding.elements;
      EXPECT_TRUE(finding.passed()) << finding.wrong << " wrong, margin " << finding.margin;
      EXPECT_FALSE(finding.vacuous);
    }
    const Finding finding = interval(compute(s, 2304, 20, data), s.arithmetic);
    EXPECT_TRUE(finding.passed()) << finding.wrong << " wrong, margin " << finding.margin;
  }
  EXPECT_GE(judged, outputs_wanted());
}

TEST_P(OwnClass, PassesTheStatisticalTierOnSignedData) {
  const Simulation& s = GetParam();
  const concord_arithmetic own = *parse_arithmetic(s.arithmetic);
  ErrorSums pooled;
  for (const Data data : {Data::kSigned, Data::kWide}) {
    const double largest = data == Data::kWide ? 4 : 1;
    for (const Extent products : {1, 2, 9, 300, 2304}) {
      const auto count = static_cast<std::size_t>(10000 / products + 50);
      const Outputs o = compute(s, products, count, data);
      const ErrorSums sums = sums_of(o, own, largest);
      pooled += sums;
      const StatisticalFinding finding = judge_statistical(s.dtype, own, sums);
      EXPECT_TRUE(finding.passed()) << products << ": mean square " << finding.mean_square
                                    << ", drift " << finding.drift << ", growth " << finding.growth;
      // The bound on sigma is a bound: no class comes near the limit by itself.
      EXPECT_LT(finding.mean_square, 1.0);
    }
  }
  EXPECT_TRUE(judge_statistical(s.dtype, own, pooled).passed());
}

struct Coarser {
  const char* simulation;
  const char* declared;
  Extent products;
};

void PrintTo(const Coarser& coarser, std::ostream* out) {  // NOLINT: gtest's name
  *out << coarser.simulation << " as " << coarser.declared << ", n = " << coarser.products;
}

class SeenByIntervals : public testing::TestWithParam<Coarser> {};
INSTANTIATE_TEST_SUITE_P(
    Classes, SeenByIntervals,
    testing::Values(Coarser{"f16 by f16", "strict", 2304}, Coarser{"f16 by f16", "strict", 9},
                    Coarser{"f16 by f16 pairwise", "strict", 64},
                    Coarser{"bf16 by bf16", "strict", 2304}, Coarser{"tf32", "strict", 9},
                    Coarser{"tf32 cut", "strict", 9}, Coarser{"bf16 inputs", "tf32", 2},
                    Coarser{"bf16 by bf16", "f16-accumulate", 2}, Coarser{"tf32", "bf16x3", 2},
                    Coarser{"bf16x3", "strict", 9}, Coarser{"f32 chain", "f64-accumulate", 9},
                    Coarser{"bf16 cut", "strict", 9}, Coarser{"f16 cut", "strict", 9},
                    Coarser{"bf16 by f32", "output_rounding=zero", 9},
                    Coarser{"bf16 late bias", "strict", 2}, Coarser{"f16 late bias", "strict", 9},
                    Coarser{"bf16 late bias", "output_rounding=nearest_away", 9},
                    Coarser{"bf16 by f32", "bias=after_store", 2},
                    Coarser{"f16 by f32", "bias=after_store", 9},
                    Coarser{"bf16 away late bias", "bias=after_store", 9},
                    Coarser{"f32 of f64 late bias", "f64-accumulate", 9}));

TEST_P(SeenByIntervals, FailsAsTheFinerClass) {
  const Coarser c = GetParam();
  const Simulation& s = simulation(c.simulation);
  const Outputs o = compute(s, c.products, 2000, Data::kSigned);
  EXPECT_FALSE(interval(o, c.declared).passed());
  EXPECT_FALSE(interval(o, c.declared).vacuous);
  EXPECT_TRUE(interval(o, s.arithmetic).passed());
}

// What the bound of every single element lets through, for many products or few outputs that tell.
class SeenByStatistics : public testing::TestWithParam<Coarser> {};
INSTANTIATE_TEST_SUITE_P(
    Classes, SeenByStatistics,
    testing::Values(Coarser{"tf32", "strict", 2304}, Coarser{"tf32 cut", "strict", 2304},
                    Coarser{"bf16 inputs", "strict", 2304}, Coarser{"f16 by f16", "strict", 2304},
                    Coarser{"f32 toward zero", "strict", 2304},
                    Coarser{"bf16 by bf16 cut", "bf16-accumulate", 2304},
                    Coarser{"bf16 cut", "strict", 300}, Coarser{"f16 cut", "strict", 9}));

TEST_P(SeenByStatistics, FailsAsTheFinerClass) {
  const Coarser c = GetParam();
  const Outputs o = compute(simulation(c.simulation), c.products, 2000, Data::kSigned);
  const StatisticalFinding finding = statistics(o, c.declared);
  EXPECT_FALSE(finding.passed()) << "mean square " << finding.mean_square << " of "
                                 << finding.mean_square_limit << ", drift " << finding.drift
                                 << ", growth " << finding.growth;
}

TEST(FlushingClass, IsSeenWhereItIsNotDeclaredAndPassesWhereItIs) {
  const Outputs o = compute(simulation("f32 flushing"), 9, 2000, Data::kTiny);
  EXPECT_FALSE(interval(o, "strict").passed());
  EXPECT_TRUE(interval(o, "flush").passed());
}

TEST(StatisticalTier, SeesWhatTheIntervalTierLetsThrough) {
  const Outputs o = compute(simulation("tf32"), 2304, 500, Data::kSigned);
  EXPECT_TRUE(interval(o, "strict").passed());
  EXPECT_FALSE(statistics(o, "strict").passed());
}

TEST(StatisticalTier, JudgesAClassThatHasNoBoundForAnElement) {
  Outputs o = compute(simulation("f16 by f16"), 2304, 500, Data::kSigned);
  EXPECT_TRUE(interval(o, "f16-accumulate").vacuous);
  EXPECT_TRUE(statistics(o, "f16-accumulate").passed());
  o.got.assign(o.got.size(), 0);
  EXPECT_TRUE(interval(o, "f16-accumulate").passed());
  EXPECT_FALSE(statistics(o, "f16-accumulate").passed());
}

TEST(StatisticalTier, ReportsEffectiveBits) {
  const auto bits = [](const char* name) {
    return statistics(compute(simulation(name), 64, 2000, Data::kSigned), "strict").effective_bits;
  };
  EXPECT_GT(bits("f64"), bits("f16 by f32") + 8);
  EXPECT_GT(bits("f32 chain"), 24);
  EXPECT_GT(bits("f32 chain"), bits("tf32") + 8);
  EXPECT_GT(bits("tf32"), bits("bf16 inputs") + 2);
}

// Outputs of few channels: what each adds last, its bias, is one number, whose last bits are cut
// off in all of its outputs alike.
struct FewChannels {
  Outputs outputs;
  std::size_t channels, plane;
  StatisticalFinding judged(const std::string& arithmetic) const {
    const concord_arithmetic declared = *parse_arithmetic(arithmetic);
    ErrorModel model{outputs.dtype, declared, outputs.products, 1};
    model.channels = channels;
    model.plane = plane;
    return judge_statistical(outputs.dtype, declared,
                             sum_errors(model, outputs.got, outputs.want, outputs.magnitude));
  }
};

FewChannels compute_few(const Simulation& s, Extent products, std::size_t channels,
                        std::size_t plane, std::uint64_t seed) {
  FewChannels few{{s.dtype, products, {}, {}, {}, {}}, channels, plane};
  Xoshiro random(seed, 0);
  const auto drawn = [&] { return draw(Data::kSigned, s.dtype, random); };
  std::vector<double> x(static_cast<std::size_t>(products)), w(x.size());
  for (std::size_t c = 0; c < channels; ++c) {
    std::generate(w.begin(), w.end(), drawn);
    const double bias = drawn();
    for (std::size_t p = 0; p < plane; ++p) {
      std::generate(x.begin(), x.end(), drawn);
      double want = bias, magnitude = std::fabs(bias);
      for (std::size_t k = 0; k < x.size(); ++k) {
        want += x[k] * w[k];
        magnitude += std::fabs(x[k] * w[k]);
      }
      few.outputs.got.push_back(s.dot(x, w, bias));
      few.outputs.want.push_back(want);
      few.outputs.magnitude.push_back(magnitude);
    }
  }
  return few;
}

TEST(StatisticalTier, AllowsErrorsThatTheOutputsOfAChannelShare) {
  double largest_drift = 0, largest_growth = 0;
  for (const char* name :
       {"f32 chain", "f32 pairwise", "f32 lanes", "bf16 by bf16", "f16 by f16"}) {
    const Simulation& s = simulation(name);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const FewChannels few = compute_few(s, seed % 2 == 0 ? 3 : 1, 2, 20'000, seed);
      const StatisticalFinding finding = few.judged(s.arithmetic);
      EXPECT_TRUE(finding.passed()) << name << ", seed " << seed << ": " << describe(finding);
      // Standard deviations, were all errors independent.
      const double deviation = std::sqrt(finding.mean_square);
      largest_drift = std::max(largest_drift, finding.drift / deviation);
      if (s.dtype == Dtype::kF32) {
        largest_growth = std::max(largest_growth, finding.growth / deviation);
      }
    }
  }
  EXPECT_GT(largest_drift, 16);
  EXPECT_GT(largest_growth, 7.5);
}

TEST(StatisticalTier, SeesRoundingTowardZeroInFewChannelsAndInMany) {
  const Simulation& s = simulation("f32 toward zero");
  const StatisticalFinding many = compute_few(s, 9, 150, 100, 1).judged("strict");
  EXPECT_GT(many.growth, many.growth_limit);
  const StatisticalFinding few = compute_few(s, 576, 2, 100, 1).judged("strict");
  EXPECT_GT(few.growth, few.growth_limit);
}

TEST(StatisticalTier, OfNothingPasses) {
  EXPECT_TRUE(judge_statistical(Dtype::kF32, {}, {}).passed());
  EXPECT_EQ(judge_statistical(Dtype::kF32, {}, {}).elements, 0);
}

TEST(StatisticalTier, LeavesOutWhatIsNotFinite) {
  const std::vector<double> got{1, std::nan(""), 3};
  const std::vector<double> want{1, 2, HUGE_VAL};
  const std::vector<double> magnitude{1, 2, HUGE_VAL};
  EXPECT_EQ(sum_errors({Dtype::kF32, kStrict, 9, 1}, got, want, magnitude).elements, 1);
}

TEST(StatisticalTier, PoolsAcrossTensors) {
  const Simulation& s = simulation("bf16 cut");
  ErrorSums pooled;
  bool one_was_seen = false;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Outputs o = compute(s, 300, 40, Data::kSigned, seed);
    const ErrorSums sums = sums_of(o, kStrict);
    one_was_seen = one_was_seen || !judge_statistical(o.dtype, kStrict, sums).passed();
    pooled += sums;
  }
  EXPECT_FALSE(one_was_seen);
  EXPECT_FALSE(judge_statistical(s.dtype, kStrict, pooled).passed());
}

}  // namespace
}  // namespace concord::conformance
