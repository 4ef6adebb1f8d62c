// SPDX-License-Identifier: Apache-2.0
#include "experiments/classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
namespace concord::experiments {
namespace {

constexpr Extent kSide = 16;
const std::vector<NetRow> kRows{{4, 3}, {4, 4}, {8, 3}};

// Adam's first step moves each parameter by the rate against its gradient's sign, so the loss falls
// by the rate times the sum of the gradients' magnitudes, and by less if any gradient is wrong.
TEST(Classifier, LossFallsByWhatItsGradientsSay) {
  Backend backend(TEST_PLUGIN);
  Random random(1);
  const Classifier start(kSide, kShapes, kRows, 16, random);
  const Labelled batch = shapes(4, kSide, random);
  const Path path = random_path(kSide, random, 3);
  const auto gradients = start.gradients(backend, batch, path);
  double slope = 0;
  for (const auto* list : {&gradients.layers, &gradients.dense}) {
    for (const Values& values : *list) {
      double part = 0;
      for (const float value : values.at) part += std::abs(static_cast<double>(value));
      EXPECT_GT(part, 0);
      slope += part;
    }
  }
  // The difference over both directions has no term of second order.
  constexpr double kRate = 1e-5;
  Classifier ahead = start, behind = start;
  ahead.step(gradients, kRate);
  behind.step(gradients, -kRate);
  const double fall = cross_entropy(behind.logits(backend, batch.images, path), batch.labels) -
                      cross_entropy(ahead.logits(backend, batch.images, path), batch.labels);
  EXPECT_NEAR(fall / (2 * kRate * slope), 1, 0.02) << slope;
}

TEST(Classifier, LearnsOneBatchByHeartWithAndWithoutThePapersWeightDecay) {
  for (const double decay : {0.0, 0.0005}) {
    Backend backend(TEST_PLUGIN);
    Random random(2);
    Classifier net(kSide, kShapes, kRows, 16, random);
    const Labelled batch = shapes(8, kSide, random);
    const double before = cross_entropy(
        net.logits(backend, batch.images, random_path(kSide, random, 3)), batch.labels);
    for (int i = 0; i < 100; ++i) {
      net.step(net.gradients(backend, batch, random_path(kSide, random, 3)), 0.01, decay);
    }
    const Values after = net.logits(backend, batch.images, random_path(kSide, random, 3));
    EXPECT_NEAR(before, std::log(4), 0.3);
    EXPECT_LT(cross_entropy(after, batch.labels), 0.2);
    EXPECT_EQ(accuracy(after, batch.labels), 1);
  }
}

TEST(Classifier, TellsAnImageTheSameInABatchOfAnySize) {
  Backend backend(TEST_PLUGIN);
  Random random(3);
  const Classifier net(kSide, kShapes, kRows, 16, random);
  const Labelled batch = shapes(200, kSide, random);
  const Path path = random_path(kSide, random, 3);
  const Values all = net.logits(backend, batch.images, path);
  for (std::size_t n = 0; n < 200; n += 7) {
    Values image({1, 1, kSide, kSide});
    std::copy_n(batch.images.at.begin() + static_cast<Extent>(n) * image.size(), image.size(),
                image.at.begin());
    const Values alone = net.logits(backend, image, path);
    for (std::size_t c = 0; c < kShapes; ++c) {
      EXPECT_NEAR(alone.at[c], all.at[n * kShapes + c], 1e-5) << n << " " << c;
    }
  }
}

TEST(CrossEntropy, IsThatOfSoftmaxAndSoIsItsGradient) {
  Values logits({2, 3, 1, 1});
  logits.at = {0, 0, 0, 2, 0, -1};
  const std::vector<int> labels{1, 2};
  const double sum = std::exp(2) + 1 + std::exp(-1);
  Values gradient;
  EXPECT_NEAR(cross_entropy(logits, labels, &gradient), (std::log(3) + std::log(sum) + 1) / 2,
              1e-6);
  const std::vector<double> expected{
      1. / 6, -1. / 3, 1. / 6, std::exp(2) / sum / 2, 1 / sum / 2, (std::exp(-1) / sum - 1) / 2};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(gradient.at[i], expected[i], 1e-6);
  EXPECT_EQ(accuracy(logits, {0, 0}), 1);
  EXPECT_EQ(accuracy(logits, {2, 0}), 0.5);
}

}  // namespace
}  // namespace concord::experiments
