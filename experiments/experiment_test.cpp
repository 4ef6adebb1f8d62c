// SPDX-License-Identifier: Apache-2.0
// The orderings that the paper reports, in the fast versions.
#include "experiments/experiment.h"

#include <gtest/gtest.h>

namespace concord::experiments {
namespace {

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

}  // namespace
}  // namespace concord::experiments
