// SPDX-License-Identifier: Apache-2.0
// The orderings that the paper reports, in the fast versions.
#include "experiments/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "experiments/clock.h"

namespace concord::experiments {
namespace {

TEST(Experiment, SaysHowManySecondsItTook) {
  Backend backend(TEST_PLUGIN);
  const Experiment busy{"busy", "a twentieth of a second", [](Backend&, Effort) {
                          const double start = processor_seconds();
                          while (processor_seconds() < start + 0.05) {
                          }
                          return Outcome{};
                        }};
  const auto numbers = run(busy, backend, Effort::kFast).numbers;
  EXPECT_GE(numbers["seconds"].get<double>(), 0.05);
  EXPECT_LT(numbers["seconds"].get<double>(), 0.5);
  EXPECT_EQ(numbers["experiment"], "busy");
}

TEST(Figure3, TheKernelsAreTheTeachers) {
  Backend backend(TEST_PLUGIN);
  const auto numbers = figure3(backend, Effort::kFast).numbers;
  for (const char* teacher : {"bicubic", "rotated_gaussian"}) {
    const auto& steps = numbers[teacher];
    EXPECT_LT(steps.front()["kernel_correlation"].get<double>(), 0.7) << teacher;
    EXPECT_GT(steps.back()["kernel_correlation"].get<double>(), 0.95) << teacher;
  }
}

TEST(Figure5, MeanAndMedianOfAnEnsembleAreBetterThanItsBestMember) {
  Backend backend(TEST_PLUGIN);
  const auto numbers = figure5(backend, Effort::kFast).numbers;
  const double best = numbers["member_mse_best"];
  EXPECT_LT(numbers["mean_mse"].get<double>(), best);
  EXPECT_LT(numbers["median_mse"].get<double>(), best);
}

TEST(Figure6, ConvolutionsMoveACrossByHalfAPixelEachAndLayersKeepIt) {
  Backend backend(TEST_PLUGIN);
  const auto numbers = figure6(backend, Effort::kFast).numbers;
  std::vector<double> distances;
  for (const auto& chain : numbers["chains"]) distances.push_back(chain["distance"]);
  ASSERT_EQ(distances.size(), 6U);
  EXPECT_NEAR(distances[0], 16 * 0.5 * std::sqrt(2.0), 0.1)
      << "plain convolution; little is left over the edge";
  EXPECT_LT(distances[1], distances[0] / 10) << "the layer, trained briefly, at scale 1";
  EXPECT_LT(distances[2], distances[0] / 2) << "the same at 32 fractional scales";
  EXPECT_LT(distances[3], 1e-3) << "a symmetric kernel on the paper's grid";
  EXPECT_GT(distances[4], 100 * distances[3]) << "the same kernel on a grid without rounded sizes";
  EXPECT_GT(distances[5], 3 * distances[4]) << "nearest";
}

TEST(Figure7, TrainingAtAFloatScaleGeneralizesAndAtOneHalfItDoesNot) {
  Backend backend(TEST_PLUGIN);
  const auto numbers = figure7(backend, Effort::kFast).numbers;
  const auto& of_float = numbers["float"];
  const auto& of_half = numbers["half"];
  const double test_float = of_float["test_mse_mean"], test_half = of_half["test_mse_mean"];
  EXPECT_LT(of_half["train_mse"].get<double>(), of_float["train_mse"].get<double>());
  EXPECT_LT(test_float, 10 * of_float["train_mse"].get<double>()) << "it generalizes";
  EXPECT_GT(test_half, 10 * test_float) << "it does not";
}

// The fastest of a few runs of milliseconds; the ratios asserted are several times smaller than
// what they are.
double ratio(const nlohmann::ordered_json& rows, int key, const std::string& way,
             const char* what) {
  for (const auto& row : rows) {
    if (row["key"] == key && row["way"] == way) return row[what];
  }
  ADD_FAILURE() << key << " " << way << " was not run";
  return 0;
}

TEST(Table5, PhasesAreFasterThanChunksAndTheStandardWayAndBothTakeLittleMemory) {
  Backend backend(TEST_PLUGIN);
  const auto rows = table5(backend, Effort::kFast).numbers["rows"];
  ASSERT_EQ(rows.size(), 8U);
  for (const int side : {16, 32}) {
    for (const char* way : {"phases", "chunked"}) {
      EXPECT_GT(ratio(rows, side, "standard", "mebibytes"), 4 * ratio(rows, side, way, "mebibytes"))
          << side << " " << way;
    }
    EXPECT_GT(ratio(rows, side, "standard", "forward_ratio"),
              2 * ratio(rows, side, "phases", "forward_ratio"))
        << side;
  }
  EXPECT_GT(ratio(rows, 32, "chunked", "forward_ratio"),
            ratio(rows, 32, "phases", "forward_ratio"));
  EXPECT_GT(ratio(rows, 32, "chunked", "both_ratio"), 2 * ratio(rows, 32, "phases", "both_ratio"));
  EXPECT_GT(ratio(rows, 32, "standard", "mebibytes"), 3 * ratio(rows, 16, "standard", "mebibytes"))
      << "it grows with the image";
}

double total_mebibytes(const nlohmann::ordered_json& rows, int layers, const std::string& way) {
  return ratio(rows, layers, way, "mebibytes") + ratio(rows, layers, way, "activation_mebibytes");
}

TEST(Table6, TimeAndMemoryOfAChainGrowWithTheNumberOfItsLayers) {
  Backend backend(TEST_PLUGIN);
  const auto rows = table6(backend, Effort::kFast).numbers["rows"];
  ASSERT_EQ(rows.size(), 10U) << "one row of the standard way";
  constexpr double kActivation = 32 * 24 * 24 * 4.0 / (1 << 20);
  for (const char* way : {"chunked", "phases", "convolution"}) {
    for (const char* time : {"forward_ms", "both_ms"}) {
      const double one = ratio(rows, 1, way, time), four = ratio(rows, 4, way, time);
      EXPECT_GT(four, 2 * one) << way << " " << time;
      EXPECT_LT(four, 8 * one) << way << " " << time;
    }
    const double more = total_mebibytes(rows, 4, way) - total_mebibytes(rows, 1, way);
    EXPECT_GT(more, 2.9 * kActivation) << way << ": the way back needs each layer's input";
    EXPECT_LT(more, 3.1 * kActivation) << way << ": and nothing else";
    EXPECT_LT(total_mebibytes(rows, 4, way), total_mebibytes(rows, 1, "standard")) << way;
  }
  EXPECT_GT(ratio(rows, 4, "chunked", "both_ms"), 2 * ratio(rows, 4, "phases", "both_ms"));
}

// Weights without the convolutions' biases, which the layer has not; a CC layer has 3*16 + 17*16 +
// 17*C_final parameters, where C_final is Cin*Cout, of the efficient net Cin*Cout*K.
TEST(Epochs, TheNetsAreThoseOfTable3AndTheOneOfLayersTakesLonger) {
  Backend backend(TEST_PLUGIN);
  const auto rows = epochs(backend, Effort::kFast).numbers["rows"];
  ASSERT_EQ(rows.size(), 2U);
  const int pairs[] = {3 * 32, 32 * 32, 32 * 64, 64 * 64, 64 * 64, 64 * 64, 64 * 64, 64 * 64};
  const int taps[] = {9, 16, 9, 9, 9, 9, 9, 16};
  const int dense = 64 * 8 * 8 * 512 + 512 * 512 + 512 * 10;
  int baseline = dense, per_neighbour = dense, efficient = dense;
  for (std::size_t i = 0; i < 8; ++i) {
    baseline += pairs[i] * taps[i];
    per_neighbour += 3 * 16 + 17 * 16 + 17 * pairs[i];
    efficient += 3 * 16 + 17 * 16 + 17 * pairs[i] * taps[i];
  }
  EXPECT_EQ(rows[0]["continuous_parameters"], per_neighbour);
  EXPECT_EQ(rows[1]["continuous_parameters"], efficient);
  for (const auto& row : rows) {
    EXPECT_GT(row["forward_ratio"].get<double>(), 1.5);
    EXPECT_GT(row["both_ratio"].get<double>(), 1.5);
    EXPECT_EQ(row["baseline_parameters"], baseline);
    EXPECT_GT(row["continuous_parameters"], baseline) << "as section 6 says";
  }
}

TEST(Ensemble, OfScalesTellsMoreShapesApartThanOneSequence) {
  Backend backend(TEST_PLUGIN);
  const auto rows = ensemble(backend, Effort::kFast).numbers["rows"];
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_GT(rows[0]["mean_accuracy"]["mean"].get<double>(), 0.3) << "the nets have learnt";
  // On the mean over the seeds.
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GT(rows[i]["mean_gain"]["mean"].get<double>(), 0) << rows[i];
  }
  EXPECT_GT(rows.back()["median_gain"]["mean"].get<double>(), 0);
}

TEST(Table1, LayersOfGradualScalesAreMoreEquivariantThanConvolutionsIfTheirKernelsAreSmooth) {
  Backend backend(TEST_PLUGIN);
  const auto rows = table1(backend, Effort::kFast).numbers["rows"];
  ASSERT_EQ(rows.size(), 6U);
  for (const auto& row : rows) {
    // Without training, the efficient net's weights of different neighbours have nothing in common:
    // it is not claimed to be ahead.
    const double per_neighbour = row["continuous_per_neighbour"];
    EXPECT_GT(per_neighbour, row["baseline"].get<double>()) << row;
    EXPECT_LT(per_neighbour, 0.9999) << row << ": the shift matters";
    EXPECT_LT(row["continuous"].get<double>(), per_neighbour) << row;
  }
}

}  // namespace
}  // namespace concord::experiments
