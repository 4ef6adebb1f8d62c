// SPDX-License-Identifier: Apache-2.0
// The statistical tier of bilinear classes: Winograd passes at every tile and number of channels,
// and nothing else does.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/power/simulated_winograd.h"

namespace concord::conformance {
namespace {

struct Outputs {
  std::vector<double> got, want, magnitude;
};

enum class Data { kUniform, kWide };

double draw(Data data, Xoshiro& random) {
  const double value =
      data == Data::kUniform
          ? 2 * random.unit() - 1
          : static_cast<double>(random.sign()) *
                std::ldexp(1 + random.unit(), static_cast<int>(random.between(-20, 20)));
  return static_cast<double>(static_cast<float>(value));
}

// Tiles of one output channel each, of `channels` input channels.
Outputs compute(const WinogradTile& tile, std::size_t channels, std::size_t tiles, Data data,
                const SimulatedAccumulator& accumulator, const SimulatedInput& input,
                std::uint64_t seed = 1) {
  const auto n = static_cast<std::size_t>(tile.n()), m = static_cast<std::size_t>(tile.m);
  Xoshiro random(seed, channels);
  Outputs outputs;
  for (std::size_t t = 0; t < tiles; ++t) {
    std::vector<std::vector<double>> d(channels, std::vector<double>(n * n));
    std::vector<std::vector<double>> g(channels, std::vector<double>(9));
    for (auto& channel : d) {
      for (double& value : channel) value = draw(data, random);
    }
    for (auto& channel : g) {
      for (double& value : channel) value = draw(data, random);
    }
    for (const double value : tile_outputs(tile, d, g, accumulator, input)) {
      outputs.got.push_back(static_cast<double>(static_cast<float>(value)));
    }
    for (std::size_t i = 0; i < m * m; ++i) {
      double want = 0, magnitude = 0;
      for (std::size_t channel = 0; channel < channels; ++channel) {
        for (std::size_t tap = 0; tap < 9; ++tap) {
          const double product =
              d[channel][(i / m + tap / 3) * n + i % m + tap % 3] * g[channel][tap];
          want += product;
          magnitude += std::fabs(product);
        }
      }
      outputs.want.push_back(want);
      outputs.magnitude.push_back(magnitude);
    }
  }
  return outputs;
}

StatisticalFinding judge(const Outputs& o, std::size_t channels, Data data,
                         const char* declared = "bilinear") {
  const concord_arithmetic arithmetic = *parse_arithmetic(declared);
  ErrorModel model{Dtype::kF32, arithmetic, static_cast<Extent>(9 * channels),
                   data == Data::kUniform ? 1 : std::ldexp(1.0, 42)};
  model.depth = static_cast<Extent>(channels);
  const double largest = model.largest_term;
  model.tile_squares = static_cast<double>(model.products) * largest * largest;
  return judge_statistical(Dtype::kF32, arithmetic, sum_errors(model, o.got, o.want, o.magnitude));
}

constexpr SimulatedAccumulator kF32{};
constexpr SimulatedAccumulator kF16{11, Rounding::kNearest, true};
constexpr Data kData[] = {Data::kUniform, Data::kWide};
constexpr std::size_t kChannels[] = {1, 16, 64, 512};

std::size_t tiles_of(std::size_t channels) { return 1024 / channels + 8; }

TEST(BilinearStatistics, AcceptEveryTileAndNumberOfChannels) {
  for (const Extent m : {2, 4, 6}) {
    for (const Data data : kData) {
      for (const std::size_t channels : kChannels) {
        const Outputs o = compute(winograd_tile(m), channels, tiles_of(channels), data, kF32, {});
        const StatisticalFinding finding = judge(o, channels, data);
        EXPECT_TRUE(finding.passed());
        EXPECT_LT(finding.mean_square, 0.1) << m << ", " << channels;
      }
    }
  }
}

// The constants of judge_statistical.cpp, of kernels of two taps and of more.
TEST(BilinearStatistics, HaveTheNormsOfTheLargestTiles) {
  const auto norm = [](const std::vector<double>& row) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    return squares;
  };
  double independent[2] = {}, directed[2] = {};
  for (const WinogradTile& tile : winograd_tiles()) {
    const auto r = static_cast<double>(tile.taps);
    const std::size_t many = tile.taps > 2 ? 1 : 0;
    for (const auto& row : tile.A) {
      double squares = 0, together = 0;
      for (std::size_t k = 0; k < row.size(); ++k) {
        const double term = std::sqrt(norm(tile.G[k]) * norm(tile.B[k]) / r);
        squares += row[k] * row[k] * term * term;
        together += std::fabs(row[k]) * term;
      }
      independent[many] = std::max(independent[many], std::sqrt(squares));
      // In two axes, with the roundings of a transform that is added up as it is written.
      EXPECT_LE(squares * squares * (1 + 2 * (r + 13) + 2),
                std::pow(many == 1 ? 6.82 : 8.11, 4) * (1 + 34));
      directed[many] = std::max(directed[many], together);
    }
  }
  EXPECT_NEAR(independent[0], 8.11, 0.01);
  EXPECT_NEAR(directed[0], 16.43, 0.01);
  EXPECT_NEAR(independent[1], 6.81, 0.01);
  EXPECT_NEAR(directed[1], 14.21, 0.01);
}

struct Wrong {
  const char* name;
  std::function<Outputs(std::size_t channels, Data data)> compute;
  std::size_t most_channels = 512;
};

Outputs scaled(Outputs o, double factor) {
  for (double& value : o.got) value *= factor;
  return o;
}

TEST(BilinearStatistics, RejectEverythingElse) {
  WinogradTile wrong_constant = winograd_tile(4);
  wrong_constant.B[1][3] *= 0.99;
  const auto by = [](const WinogradTile& tile, const SimulatedAccumulator& accumulator,
                     const SimulatedInput& input, double factor = 1) {
    return [=](std::size_t channels, Data data) {
      return scaled(compute(tile, channels, tiles_of(channels), data, accumulator, input), factor);
    };
  };
  const Wrong all[] = {
      {"a constant off by 1 %", by(wrong_constant, kF32, {}), 64},
      {"accumulator of 11 bits", by(winograd_tile(2), kF16, {})},
      {"bf16 inputs", by(winograd_tile(2), kF32, {8, Rounding::kNearest, false})},
      {"tf32 inputs", by(winograd_tile(4), kF32, {11, Rounding::kNearest, false}), 64},
      {"times 1.01", by(winograd_tile(4), kF32, {}, 1.01)},
      {"zeros", by(winograd_tile(4), kF32, {}, 0)},
      {"times 1.5", by(winograd_tile(4), kF32, {}, 1.5)},
      {"negated", by(winograd_tile(4), kF32, {}, -1)},
  };
  for (const Wrong& wrong : all) {
    for (const std::size_t channels : kChannels) {
      if (channels > wrong.most_channels) continue;
      const Outputs o = wrong.compute(channels, Data::kUniform);
      const StatisticalFinding finding = judge(o, channels, Data::kUniform);
      EXPECT_FALSE(finding.passed())
          << wrong.name << ", " << channels << " channels: mean square " << finding.mean_square;
    }
  }
}

TEST(BilinearStatistics, SayNothingOfClassesWithoutAModel) {
  for (const char* declared : {"bilinear,input=bf16", "bilinear,accumulator=f16"}) {
    EXPECT_FALSE(has_error_model(Dtype::kF32, *parse_arithmetic(declared))) << declared;
  }
  EXPECT_TRUE(has_error_model(Dtype::kF32, *parse_arithmetic("bilinear")));
  EXPECT_TRUE(has_error_model(Dtype::kBF16, *parse_arithmetic("bilinear,input=bf16")));
}

}  // namespace
}  // namespace concord::conformance
