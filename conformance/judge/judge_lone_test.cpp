// SPDX-License-Identifier: Apache-2.0
// Both sides of Fill::kSparse, under every class of arithmetic that can be declared: what computes
// in the class passes, and zeros, 1.5 times the result, its negative and a shifted one fail.
#include "conformance/judge/judge_lone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/fill.h"
#include "conformance/judge/every_class.h"
#include "conformance/judge/trust.h"
#include "conformance/power/simulated_arithmetic.h"
#include "conformance/power/simulated_winograd.h"
#include "reference/reference.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

// One word for the bias and zero weights: here they change nothing.
std::vector<concord_arithmetic> all_classes() {
  std::vector<concord_arithmetic> classes = every_class();
  std::erase_if(classes,
                [](const concord_arithmetic& each) { return each.bias != each.zero_weights; });
  return classes;
}

struct Sample {
  Problem problem;
  reference::Resolution resolution;
  Inputs inputs;
  std::vector<double> want, magnitude;
  OutputShape shape;
};

Sample make_sample(const std::string& line, const concord_arithmetic& arithmetic,
                   std::uint64_t seed = 5) {
  Sample s{*parse(line), {}, {}, {}, {}, {}};
  s.resolution = *reference::resolve(s.problem);
  s.inputs = fill_inputs(Fill::kSparse, seed, s.problem, s.resolution, arithmetic);
  auto oracle = reference::evaluate(s.problem, s.resolution,
                                    {s.inputs.src, s.inputs.weights, s.inputs.bias, {}});
  s.want = std::move(oracle.value);
  s.magnitude = std::move(oracle.magnitude);
  s.shape = output_shape(s.resolution.dst.dims, 1);
  return s;
}

LoneProducts accepted_of(const Sample& s, const concord_arithmetic& arithmetic) {
  double largest = 0;
  for (const double y : s.want) largest = std::max(largest, std::fabs(y));
  return {s.problem.dtype, arithmetic, 2, largest};
}

constexpr const char* kFormats = " data_format=NCX weights_format=OIX";

// 2,304 products: beyond what intervals bound in accumulators of 16 bits.
std::string long_line(Dtype dtype) {
  return "Convolution " + std::string(to_string(dtype)) + " src=1x256x5x4 weights=3x256x3x3" +
         kFormats;
}

TEST(LoneProducts, RejectWrongOutputsUnderEveryClassThatCanBeDeclared) {
  for (const Dtype dtype : kDtypes) {
    for (const concord_arithmetic& arithmetic : all_classes()) {
      const Sample s = make_sample(long_line(dtype), arithmetic);
      const Trust trust =
          assess_lone(dtype, accepted_of(s, arithmetic), s.shape, s.want, s.magnitude);
      const std::string label = std::string(to_string(dtype)) + " " + print(arithmetic);
      EXPECT_TRUE(trust.can_reject()) << label << " " << trust.describe();
      for (const Plant plant : {Plant::kZeros, Plant::kScaled, Plant::kNegated, Plant::kShifted}) {
        EXPECT_EQ(std::count(trust.rejected.begin(), trust.rejected.end(), plant), 1)
            << label << " " << to_string(plant);
      }
      EXPECT_LT(trust.resolution, is_bilinear(arithmetic) ? 0.5 : 0.03) << label;
    }
  }
}

// Simulated arithmetic is computed in f64: f64_test.cpp has that of f64 itself.
constexpr Dtype kSimulatedDtypes[] = {Dtype::kF32, Dtype::kF16, Dtype::kBF16};

// The classes as they are computed: by a product that is rounded once or twice, and additions of
// zeros, which round nothing.
SimulatedAccumulator accumulator_like(const concord_arithmetic& arithmetic, bool through_f32) {
  SimulatedAccumulator made;
  const Accumulator accumulator = accumulator_of(Dtype::kF32, arithmetic);
  made.bits = accumulator.bits;
  made.rounding = accumulator.toward_zero ? Rounding::kZero : Rounding::kNearest;
  if (accumulator.faithful) made.rounding = Rounding::kAway;
  made.through_f32 = through_f32;
  made.flushes = arithmetic.flushes_subnormals != 0;
  return made;
}

SimulatedInput input_like(Dtype dtype, const concord_arithmetic& arithmetic, Rounding rounding) {
  const int bits = exact_input_bits(dtype, arithmetic);
  if (bits == format_of(dtype).significand_bits) return {};
  return {bits, rounding, arithmetic.input_precision == CONCORD_INPUT_BF16X3};
}

struct Outputs {
  std::vector<double> got, want, magnitude;
};

// The first window of each channel; `dot` computes a sum of products x[i] * w[i].
template <class Dot>
Outputs compute(const Sample& s, const Dot& dot) {
  const auto& g = s.resolution.discrete();
  const Extent height = g.I[reference::kHeight], width = g.I[reference::kWidth];
  const Extent KH = g.K[reference::kHeight], KW = g.K[reference::kWidth];
  const Extent plane = reference::volume(g.O);
  Outputs outputs;
  for (Extent oc = 0; oc < g.OC; ++oc) {
    std::vector<double> x, w;
    for (const auto& [ic, kh, kw] : Grid<3>({g.IC, KH, KW})) {
      const Extent tap = ((oc * g.IC + ic) * KH + kh) * KW + kw;
      x.push_back(s.inputs.src[static_cast<std::size_t>((ic * height + kh) * width + kw)]);
      w.push_back(s.inputs.weights[static_cast<std::size_t>(tap)]);
    }
    outputs.got.push_back(dot(x, w));
    outputs.want.push_back(s.want[static_cast<std::size_t>(oc * plane)]);
    outputs.magnitude.push_back(s.magnitude[static_cast<std::size_t>(oc * plane)]);
  }
  return outputs;
}

Outputs compute(const Sample& s, const Simulation& simulation) {
  return compute(s, [&](const std::vector<double>& x, const std::vector<double>& w) {
    return simulation.dot(x, w, 0);
  });
}

TEST(LoneProducts, AcceptWhatIsComputedInTheDeclaredClass) {
  for (const Dtype dtype : kSimulatedDtypes) {
    for (const concord_arithmetic& arithmetic : all_classes()) {
      if (is_bilinear(arithmetic)) continue;
      const Sample s = make_sample(long_line(dtype), arithmetic);
      const LoneProducts accepted = accepted_of(s, arithmetic);
      for (const auto& [order, through_f32, cut] : Grid<3>({4, 2, 2})) {
        Simulation simulation{"", "", dtype};
        simulation.order = static_cast<Order>(order);
        simulation.accumulator = accumulator_like(arithmetic, through_f32 == 1);
        simulation.input =
            input_like(dtype, arithmetic, cut == 1 ? Rounding::kZero : Rounding::kNearest);
        simulation.store = output_rounding(arithmetic);
        const Outputs o = compute(s, simulation);
        EXPECT_TRUE(judge_lone(accepted, o.got, o.want, o.magnitude).passed())
            << to_string(dtype) << " " << print(arithmetic) << " order " << order;
      }
    }
  }
}

// Kahan's sum in an accumulator of so many bits. Each term is added to what it has kept of the
// error of the sum before, also a zero.
double compensated(const std::vector<double>& x, const std::vector<double>& w, int bits) {
  const auto rounded = [&](double value) { return round_to_bits(bits, value, Rounding::kNearest); };
  double sum = 0, lost = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double term = rounded(rounded(x[i] * w[i]) - lost);
    const double next = rounded(sum + term);
    lost = rounded(rounded(next - sum) - term);
    sum = next;
  }
  return sum;
}

// Its corrections are inexact where a sum is rounded in a higher binade than the larger summand.
TEST(LoneProducts, AcceptCompensatedSums) {
  for (const Dtype dtype : kSimulatedDtypes) {
    for (const concord_arithmetic& arithmetic : all_classes()) {
      const Accumulator accumulator = accumulator_of(dtype, arithmetic);
      if (is_bilinear(arithmetic) || accumulator.toward_zero || accumulator.bits > 24) continue;
      if (arithmetic.bias != 0 || arithmetic.flushes_subnormals != 0) continue;  // changes nothing
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Sample s = make_sample("Convolution " + std::string(to_string(dtype)) +
                                         " src=1x5x3x3 weights=64x5x2x2" + kFormats,
                                     arithmetic, seed);
        const Outputs o = compute(s, [&](const auto& x, const auto& w) {
          const double sum = compensated(x, w, accumulator.bits);
          return round_to(dtype, sum, output_rounding(arithmetic));
        });
        EXPECT_TRUE(judge_lone(accepted_of(s, arithmetic), o.got, o.want, o.magnitude).passed())
            << to_string(dtype) << " " << print(arithmetic) << " seed " << seed;
      }
    }
  }
}

// How many of 200 outputs are wrong when sums are kept in an accumulator of so many bits.
std::size_t wrong_of(const std::string& line, Dtype dtype, Order order, int bits,
                     Rounding rounding) {
  const concord_arithmetic strict{};
  const Sample s = make_sample(line, strict);
  Simulation simulation{"", "", dtype};
  simulation.order = order;
  simulation.accumulator.bits = bits;
  simulation.accumulator.rounding = rounding;
  const Outputs o = compute(s, simulation);
  return judge_lone(accepted_of(s, strict), o.got, o.want, o.magnitude).wrong;
}

// A store of 16 bits hides the accumulator unless something large cancels. Shapes of one input
// channel a group have their twins along the last axis.
TEST(LoneProducts, SeeTheAccumulatorThroughAStoreOf16Bits) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (const char* shape : {" src=1x64x4x5 weights=200x64x3x3", " src=1x3x4x5 weights=200x3x3x3",
                              " src=1x1x4x5 weights=200x1x3x3"}) {
      const std::string line =
          "Convolution " + std::string(to_string(dtype)) + shape + std::string(kFormats);
      const auto wrong = [&](Order order, int bits, Rounding rounding = Rounding::kNearest) {
        return wrong_of(line, dtype, order, bits, rounding);
      };
      for (const Order order :
           {Order::kChain, Order::kFusedChain, Order::kPairwise, Order::kSixteenLanes}) {
        EXPECT_EQ(wrong(order, 24), 0u) << line;
        EXPECT_EQ(wrong(order, 53), 0u) << line;
      }
      EXPECT_GT(wrong(Order::kFusedChain, 23), 5u) << line;
      EXPECT_GT(wrong(Order::kFusedChain, 22), 10u) << line;
      EXPECT_GT(wrong(Order::kFusedChain, 20), 10u) << line;
      EXPECT_GT(wrong(Order::kSixteenLanes, 22), 2u) << line;
      EXPECT_GT(wrong(Order::kFusedChain, 24, Rounding::kZero), 5u) << line;
    }
  }
}

// Two products leave no room for a pair that cancels: their sum is next to a tie of the store.
TEST(LoneProducts, SeeTheAccumulatorInASumOfTwoThroughAStoreOf16Bits) {
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    for (const char* shape : {" src=1x2x4x5 weights=200x2x1x1", " src=1x1x4x5 weights=200x1x1x2"}) {
      const std::string line =
          "Convolution " + std::string(to_string(dtype)) + shape + std::string(kFormats);
      for (const Order order : {Order::kChain, Order::kFusedChain}) {
        const auto wrong = [&](int bits, Rounding rounding = Rounding::kNearest) {
          return wrong_of(line, dtype, order, bits, rounding);
        };
        EXPECT_EQ(wrong(24), 0u) << line;
        EXPECT_EQ(wrong(53), 0u) << line;
        EXPECT_GT(wrong(23), 25u) << line;
        EXPECT_GT(wrong(22), 25u) << line;
        EXPECT_GT(wrong(24, Rounding::kZero), 25u) << line;
      }
    }
  }
}

// A matrix unit cuts off all three at once, with any number of bits beyond the accumulator's.
TEST(LoneProducts, AcceptAlignedSumsOfAFaithfulClassAndStillSeeFewerBits) {
  const concord_arithmetic faithful = *parse_arithmetic("accumulator_rounding=faithful");
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    const std::string line = "Convolution " + std::string(to_string(dtype)) +
                             " src=1x64x4x5 weights=400x64x3x3" + kFormats;
    const Sample s = make_sample(line, faithful);
    const auto wrong = [&](int bits, Rounding rounding) {
      Simulation simulation{"", "", dtype};
      simulation.order = Order::kAligned;
      simulation.accumulator = {bits, rounding, false};
      const Outputs o = compute(s, simulation);
      return judge_lone(accepted_of(s, faithful), o.got, o.want, o.magnitude).wrong;
    };
    for (const int bits : {24, 25, 26, 28}) EXPECT_EQ(wrong(bits, Rounding::kZero), 0u) << bits;
    EXPECT_EQ(wrong(24, Rounding::kAway), 0u);
    EXPECT_GT(wrong(20, Rounding::kZero), 5u) << line;
  }
}

// A finer accumulator than the declared one is no fault.
TEST(LoneProducts, AcceptTheCorrectlyRoundedProductInEveryClass) {
  for (const Dtype dtype : kDtypes) {
    for (const concord_arithmetic& arithmetic : all_classes()) {
      const Sample s = make_sample(long_line(dtype), arithmetic);
      std::vector<double> got;
      for (const double y : s.want) {
        got.push_back(round_to(dtype, y, output_rounding(arithmetic)));
      }
      EXPECT_TRUE(judge_lone(accepted_of(s, arithmetic), got, s.want, s.magnitude).passed())
          << to_string(dtype) << " " << print(arithmetic);
    }
  }
}

TEST(LoneProducts, SeeWhatTheIntervalTierLetsThrough) {
  const auto wrong = [](const char* declared, Rounding rounding) {
    const Sample s = make_sample(long_line(Dtype::kF32), *parse_arithmetic(declared));
    std::vector<double> got;
    for (const double y : s.want) got.push_back(round_to(Dtype::kF32, y, rounding));
    return judge_lone(accepted_of(s, *parse_arithmetic(declared)), got, s.want, s.magnitude).wrong;
  };
  EXPECT_EQ(wrong("strict", Rounding::kNearest), 0u);
  EXPECT_GT(wrong("strict", Rounding::kZero), 3u);  // products cut off, of 18 outputs
  EXPECT_EQ(wrong("accumulator_rounding=zero", Rounding::kZero), 0u);
}

// Of the tiles of most libraries each place of one element, and each tap; of others each of one
// axis beside some of the other.
bool is_tried(const WinogradTile& tile, Extent row, Extent column, Extent tap) {
  if (tile.taps == 3 && tile.m % 2 == 0) return true;
  return column == (5 * row + 3) % tile.n() && tap % tile.taps == (tap / tile.taps + 1) % tile.taps;
}

TEST(LoneProducts, AcceptWinogradInTheDeclaredClass) {
  for (const WinogradTile& tile : winograd_tiles()) {
    for (const Dtype dtype : kSimulatedDtypes) {
      for (const concord_arithmetic& arithmetic : all_classes()) {
        // One way to store results, and no word that is about other data.
        if (!is_bilinear(arithmetic) || arithmetic.flushes_subnormals != 0 ||
            arithmetic.output_rounding != arithmetic.accumulator_rounding ||
            arithmetic.bias != CONCORD_BIAS_IN_SUM) {
          continue;
        }
        // Where tiles of 8 have no bound below a quarter, those of 6 are the largest.
        if (tile.n() > 6 && lone_product_error(dtype, arithmetic, 2) > 0.25) continue;
        const SimulatedAccumulator accumulator = accumulator_like(arithmetic, true);
        const SimulatedInput input = input_like(dtype, arithmetic, Rounding::kZero);
        const LoneProducts accepted(dtype, arithmetic, 2, 1);
        for (const auto& [row, column, tap] :
             Grid<3>({tile.n(), tile.n(), tile.taps * tile.taps})) {
          if (!is_tried(tile, row, column, tap)) continue;
          std::vector<double> got = lone_outputs(tile, {row, column}, tap, accumulator, input);
          std::vector<double> want(got.size());
          const Extent i = row - tap / tile.taps, j = column - tap % tile.taps;
          if (i >= 0 && j >= 0 && i < tile.m && j < tile.m) {
            want[static_cast<std::size_t>(i * tile.m + j)] = 1;
          }
          for (double& v : got) v = round_to(dtype, v, output_rounding(arithmetic));
          const Finding finding = judge_lone(accepted, got, want, want);
          ASSERT_TRUE(finding.passed()) << "F(" << tile.m << ", " << tile.taps << ") "
                                        << to_string(dtype) << " " << print(arithmetic) << ": got "
                                        << finding.worst->got << ", want " << finding.worst->want;
        }
      }
    }
  }
}

}  // namespace
}  // namespace concord::conformance
