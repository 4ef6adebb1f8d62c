// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/fast_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>

#include "conformance/catalog/catalog.h"
#include "conformance/catalog/sweeps.h"
#include "conformance/fill/fill.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/oracle/tile.h"

namespace concord::conformance {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_literal(const Problem& problem, const Inputs& inputs, int threads) {
  const auto geometry = reference::resolve_discrete(problem);
  ASSERT_TRUE(geometry) << print(problem);
  const auto want =
      reference::evaluate_discrete(problem, *geometry, inputs.src, inputs.weights, inputs.bias);
  const auto got =
      evaluate_fast(problem, *geometry, inputs.src, inputs.weights, inputs.bias, threads);
  EXPECT_TRUE(same_bits(got.value, want.value)) << print(problem);
  EXPECT_TRUE(same_bits(got.magnitude, want.magnitude)) << print(problem);
  const auto values =
      evaluate_fast(problem, *geometry, inputs.src, inputs.weights, inputs.bias, threads, false);
  EXPECT_TRUE(same_bits(values.value, want.value)) << print(problem);
  EXPECT_TRUE(values.magnitude.empty() || same_bits(values.magnitude, want.magnitude))
      << print(problem);
}

Extent products_of(const reference::Geometry& g) {
  Extent outputs = g.N * g.OC;
  for (const Extent o : g.O) outputs *= o;
  return outputs * g.products();
}

// Data whose every sum rounds, so that another order would show, and integers, which are summed in
// f32, the one or the other where the literal loops take long; one dtype is as good as another. Of
// the long ones that are of full alone, mostly larger cuts of smoke's layers, one in four, unless
// CONCORD_WHOLE is set, as cmake/nightly.sh has it.
TEST(FastOracle, GivesTheBitsOfTheLiteralLoopsOnTheProblemsOfTheSuites) {
  constexpr std::size_t kEverySwept = 101, kEveryLong = 4;
  constexpr Extent kLong = 1'000'000;  // products
  const bool whole = std::getenv("CONCORD_WHOLE") != nullptr;
  std::size_t swept = 0, turn = 0, large = 0;
  std::set<std::string> seen;
  for (const Suite suite : {Suite::kSmoke, Suite::kFull}) {
    for (const Case& source : make_catalog(suite, 1)) {
      // Of hundreds of thousands that are alike, some.
      if (is_swept(source.id) && swept++ % kEverySwept != 0) continue;
      Problem problem = source.problem;
      if (!is_discrete(problem.operation())) continue;
      problem.dtype = Dtype::kF32;
      const auto geometry = reference::resolve_discrete(problem);
      if (!geometry || !seen.insert(print(problem)).second) continue;
      const bool is_long = products_of(*geometry) > kLong;
      if (is_long && suite == Suite::kFull && large++ % kEveryLong != 0 && !whole) continue;
      if (is_long) ++turn;
      const Fill left_out = turn % 2 == 0 ? Fill::kWide : Fill::kIntegers;
      for (const Fill fill : {Fill::kWide, Fill::kIntegers}) {
        if (is_long && fill == left_out) continue;
        const Inputs inputs =
            fill_inputs(fill, source.seed, problem.dtype, *geometry, problem.bias.has_value(), {});
        expect_literal(problem, inputs, 1 + static_cast<int>(seen.size() % 2));
      }
    }
  }
  EXPECT_GT(seen.size(), 200U);
}

Problem problem_of(const std::string& shapes) {
  return *parse("Convolution f32 " + shapes + " data_format=NCX weights_format=OIX");
}

Inputs inputs_of(const Problem& problem, Fill fill = Fill::kWide) {
  return fill_inputs(fill, 5, problem.dtype, *reference::resolve_discrete(problem),
                     problem.bias.has_value(), {});
}

TEST(FastOracle, LeavesNothingOutAroundTheWidthsOfItsVectors) {
  for (Extent channels = 1; channels <= 35; channels += channels < 18 ? 1 : 5) {
    for (const Extent width : {1, 3, 7, 8, 9, 16, 17, 33}) {
      const Problem problem = problem_of(
          "src=2x6x5x" + std::to_string(width + 2) + " weights=" + std::to_string(2 * channels) +
          "x3x2x3 groups=2 pads_begin=1,1 pads_end=1,2 strides=1,2 dilations=2,1 bias=" +
          std::to_string(2 * channels));
      expect_literal(problem, inputs_of(problem), 2);
      expect_literal(problem, inputs_of(problem, Fill::kIntegers), 2);
    }
  }
}

// More taps than are taken at once, more outputs, with and without padding, rows that nothing
// reads.
TEST(FastOracle, TakesTapsAndOutputsInSeveralParts) {
  for (const char* window :
       {"3x3 pads_begin=1,0 pads_end=0,2", "3x3 pads_end=0,1", "3x3 pads_end=1,0",
        "3x3 strides=2,1", "1x1", "1x1 strides=2,3", "1x1 strides=1,2 pads_begin=2,0 pads_end=3,1",
        "2x3 strides=4,1 dilations=2,1"}) {
    const Problem problem = problem_of(std::string("src=2x140x17x23 weights=39x140x") + window);
    for (const Fill fill : {Fill::kWide, Fill::kIntegers}) {
      for (const int threads : {1, 3}) expect_literal(problem, inputs_of(problem, fill), threads);
    }
  }
}

// 576 products of 65537 and 257, each beyond 2^24 and odd.
TEST(FastOracle, KeepsIntegersThatF32CannotSum) {
  const Problem problem = problem_of("src=1x64x6x6 weights=16x64x3x3 bias=16");
  Inputs inputs = inputs_of(problem);
  std::fill(inputs.src.begin(), inputs.src.end(), 65537);
  std::fill(inputs.weights.begin(), inputs.weights.end(), 257);
  std::fill(inputs.bias.begin(), inputs.bias.end(), 1);
  expect_literal(problem, inputs, 1);
}

// Values that f32 does not have, so that a fused product would show.
TEST(FastOracle, RoundsProductsThatF64CannotHold) {
  const Problem problem = problem_of("src=1x16x9x9 weights=16x16x3x3 bias=16");
  Inputs inputs = inputs_of(problem);
  for (double& x : inputs.src) x /= 3;
  for (double& w : inputs.weights) w /= 7;
  expect_literal(problem, inputs, 1);
}

// One value that is not like the others, wherever it stands.
TEST(FastOracle, LooksAtEveryValue) {
  const Problem problem = problem_of("src=1x2x7x5 weights=32x2x2x2 bias=32");
  for (std::size_t i = 0; i < 70; ++i) {
    for (const double odd : {1.0 / 3, 0x1p24 + 1, 0.5}) {
      Inputs inputs = inputs_of(problem, Fill::kIntegers);
      std::fill(inputs.weights.begin(), inputs.weights.end(), 1 + 0x1p-23);
      inputs.src.at(i) = odd;
      expect_literal(problem, inputs, 1);
      std::fill(inputs.weights.begin(), inputs.weights.end(), 3);
      expect_literal(problem, inputs, 1);
    }
  }
}

template <class Number>
void expect_look(const TileKernel<Number>& kernel) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 2 * kLookedAt; ++i) {
    std::vector<double> values(2 * kLookedAt, -3);
    const auto look = [&](double odd) {
      values[i] = odd;
      return kernel.look(values.data(), values.size());
    };
    const Leftover whole = look(-77);
    EXPECT_TRUE(whole.of_f32 == 0 && whole.of_whole == 0 && whole.largest == 77) << i;
    const Leftover half = look(0.5);
    EXPECT_TRUE(half.of_f32 == 0 && half.of_whole > 0 && half.largest == 3) << i;
    EXPECT_GT(look(1.0 / 3).of_f32, 0) << i;
    for (const double odd : {0x1p24 + 1, 1e300, kInfinity, std::nan("")}) {
      EXPECT_FALSE(look(odd).of_f32 == 0) << i << " " << odd;
    }
  }
}

// What the processor has of a kernel's instructions, against a loop.
template <class Number>
void expect_sums(const TileKernel<Number>& kernel) {
  constexpr std::size_t kTaps = 37;
  Xoshiro random(9);
  std::vector<Number> vectors(kTaps + 64), scalars(kTaps + 8);
  for (Number& v : vectors) v = static_cast<Number>(random.between(-99, 99));
  for (Number& s : scalars) s = static_cast<Number>(random.between(-99, 99));
  std::vector<std::int64_t> offsets(kTaps);
  for (std::size_t t = 0; t < kTaps; ++t) offsets[t] = static_cast<std::int64_t>(kTaps - 1 - t);
  for (std::int64_t count = 1; count <= kernel.count; ++count) {
    const auto size = static_cast<std::size_t>(count * kernel.width);
    std::vector<Number> value(size, 5), magnitude(size, 7);
    std::vector<const Number*> places;  // not side by side
    for (std::int64_t p = 0; p < count; ++p) places.push_back(scalars.data() + (p * 5) % 7);
    kernel.run({vectors.data(), offsets.data(), places.data(), offsets.data(), kTaps, value.data(),
                magnitude.data()},
               count);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t l = i % static_cast<std::size_t>(kernel.width);
      const std::size_t p = i / static_cast<std::size_t>(kernel.width);
      Number sum = 5, sum_of_sizes = 7;
      for (std::size_t t = 0; t < kTaps; ++t) {
        const Number product = vectors[t + l] * places[p][t];
        sum += product;
        sum_of_sizes += std::fabs(product);
      }
      EXPECT_EQ(value[i], sum) << count << " " << i;
      EXPECT_EQ(magnitude[i], sum_of_sizes) << count << " " << i;
    }
  }
}

TEST(FastOracle, KernelsOfEveryInstructionSetGiveTheSame) {
  expect_look(kTileGeneric);
  expect_look(kTileGeneric);
  expect_look(kTileGeneric);
  expect_sums(kTileGeneric);
  expect_sums(kExactTileGeneric);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    expect_look(kTileAvx2);
    expect_sums(kTileAvx2);
    expect_sums(kExactTileAvx2);
  }
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    expect_look(kTileAvx512);
    expect_sums(kTileAvx512);
    expect_sums(kExactTileAvx512);
  }
#endif
}

TEST(FastOracle, KeepsTheSignOfZeroAndWhatIsNotFinite) {
  const Problem problem =
      problem_of("src=1x16x9x9 weights=16x16x3x3 bias=16 pads_begin=1,1 pads_end=0,0");
  Inputs inputs = inputs_of(problem);
  for (double& bias : inputs.bias) bias = -0.0;
  for (std::size_t i = 0; i < inputs.src.size(); i += 2) inputs.src[i] = -0.0;
  expect_literal(problem, inputs, 1);
  inputs.weights[7] = std::numeric_limits<double>::infinity();
  const auto geometry = reference::resolve_discrete(problem);
  const auto want =
      reference::evaluate_discrete(problem, *geometry, inputs.src, inputs.weights, inputs.bias);
  const auto got = evaluate_fast(problem, *geometry, inputs.src, inputs.weights, inputs.bias, 2);
  for (std::size_t i = 0; i < want.value.size(); ++i) {
    EXPECT_EQ(std::isnan(got.value[i]), std::isnan(want.value[i])) << i;
  }
}

TEST(FastOracle, TakesPaddingFarLargerThanTheInput) {
  const Problem problem = problem_of(
      "src=1x4x3x3 weights=4x4x2x2 pads_begin=1500,1500 pads_end=1500,1500 strides=700,700 "
      "dilations=400,3");
  expect_literal(problem, inputs_of(problem), 1);
}

}  // namespace
}  // namespace concord::conformance
