// SPDX-License-Identifier: Apache-2.0
// Scale ensembles (section 6): a CC-net that has learnt to tell shapes apart, applied with many
// sequences of scales; the accuracy of their logits' mean and median against one sequence's.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/classifier.h"
#include "experiments/experiment.h"
#include "experiments/picture.h"

namespace concord::experiments {
namespace {

constexpr double kRate = 0.003;
// Of fewer layers than Table 3, whose scales vary by more.
const std::vector<NetRow> kRows{{8, 3}, {8, 4}, {16, 3}, {16, 4}};
constexpr double kDeviation = 0.05;

struct Plan {
  Extent side = 0;
  int steps = 0, batch = 0, tests = 0, sequences = 0;
};

Path any_path(Extent side, Random& random) {
  return random_path(side, random, static_cast<int>(kRows.size()), kDeviation);
}

struct Trained {
  Classifier net;
  Points losses{};  // by step
};

// As in appendix A.2, each step has another sequence of scales.
Trained train(Backend& backend, const Plan& plan, Random& random) {
  Trained result{Classifier(plan.side, kShapes, kRows, 32, random)};
  for (int step = 0; step < plan.steps; ++step) {
    const Labelled batch = shapes(plan.batch, plan.side, random);
    const auto gradients = result.net.gradients(backend, batch, any_path(plan.side, random));
    result.losses.emplace_back(step, gradients.loss);
    const double part = static_cast<double>(step) / plan.steps;
    result.net.step(gradients, kRate * 0.5 * (1 + std::cos(std::numbers::pi * part)));
  }
  return result;
}

using Logits = std::vector<Values>;  // of each sequence

double mean_of(const std::vector<float>& sorted) {
  double sum = 0;
  for (const float value : sorted) sum += static_cast<double>(value);
  return sum / static_cast<double>(sorted.size());
}

double median_of(const std::vector<float>& sorted) {
  const std::size_t half = sorted.size() / 2;
  const double above = static_cast<double>(sorted[half]);
  return sorted.size() % 2 == 1 ? above : (static_cast<double>(sorted[half - 1]) + above) / 2;
}

// The accuracy of the aggregated logits of `size` sequences, the mean over all disjoint groups.
double accuracy_of_groups(const Logits& all, std::size_t size, const std::vector<int>& labels,
                          double (*aggregate)(const std::vector<float>&)) {
  const std::size_t groups = all.size() / size;
  double sum = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    Values together(all[0].dims);
    for (std::size_t i = 0; i < together.at.size(); ++i) {
      std::vector<float> values;
      for (std::size_t k = 0; k < size; ++k) values.push_back(all[group * size + k].at[i]);
      std::sort(values.begin(), values.end());
      together.at[i] = static_cast<float>(aggregate(values));
    }
    sum += accuracy(together, labels);
  }
  return sum / static_cast<double>(groups);
}

struct Row {
  std::size_t size = 0;
  double mean = 0, median = 0;
};

std::string draw(const Trained& trained, const Labelled& tests, const std::vector<double>& singles,
                 const std::vector<Row>& rows) {
  Picture picture(830, 470);
  picture.text(60, 20, "the training", "font-weight=\"bold\"");
  picture.axes({60, 50, 320, 210}, {0, static_cast<double>(trained.losses.size()), 0, 1.6, false,
                                    "step", "cross entropy of the batch"});
  picture.line(trained.losses, "#1a6fb0");
  const auto [least, most] = std::minmax_element(singles.begin(), singles.end());
  picture.text(470, 20, "test images told apart", "font-weight=\"bold\"");
  picture.axes({470, 50, 320, 210},
               {0, static_cast<double>(singles.size()) + 1, 100 * *least - 1, 100 * *most + 1,
                false, "sequences of scales in the ensemble", "per cent"});
  const Extent side = tests.images.dims[2];
  Points alone, mean, median;
  for (const double single : singles) alone.emplace_back(1, 100 * single);
  for (const Row& row : rows) {
    mean.emplace_back(row.size, 100 * row.mean);
    median.emplace_back(row.size, 100 * row.median);
  }
  picture.points(alone, "#888");
  picture.line(median, "#e08214", true);
  picture.points(median, "#e08214");
  picture.line(mean, "#1a6fb0");
  picture.points(mean, "#1a6fb0");
  picture.text(470, 312, "grey: each alone; blue: mean of logits; dashed: median");
  picture.text(60, 335, "test images");
  for (Extent i = 0; i < 8; ++i) {
    Image image(side, side);
    std::copy_n(tests.images.at.begin() + i * side * side, side * side, image.at.begin());
    picture.image({60 + 92 * static_cast<double>(i), 345, 86, 86}, image, {Colours::kGrey, -3, 3});
  }
  return picture.svg();
}

}  // namespace

Outcome ensemble(Backend& backend, Effort effort) {
  const Plan plan =
      effort == Effort::kFast ? Plan{16, 200, 16, 4000, 12} : Plan{32, 1500, 16, 4000, 24};
  Random random(90);
  const Trained trained = train(backend, plan, random);
  const Labelled tests = shapes(plan.tests, plan.side, random);
  Logits all;
  std::vector<double> singles;
  for (int i = 0; i < plan.sequences; ++i) {
    all.push_back(trained.net.logits(backend, tests.images, any_path(plan.side, random)));
    singles.push_back(accuracy(all.back(), tests.labels));
  }
  std::vector<Row> rows;
  Outcome outcome;
  for (const std::size_t size : {1U, 2U, 3U, 6U, 12U, 24U}) {
    if (size > all.size()) break;
    const Row row{size, accuracy_of_groups(all, size, tests.labels, mean_of),
                  accuracy_of_groups(all, size, tests.labels, median_of)};
    rows.push_back(row);
    outcome.numbers["rows"].push_back(
        {{"sequences", size}, {"mean_accuracy", row.mean}, {"median_accuracy", row.median}});
    outcome.summary += fmt::format("{:2} sequences  mean of logits {:.2f} %  median {:.2f} %\n",
                                   size, 100 * row.mean, 100 * row.median);
  }
  outcome.numbers["single_accuracy"] = singles;
  outcome.numbers["losses"] = trained.losses;
  outcome.svg = draw(trained, tests, singles, rows);
  return outcome;
}

}  // namespace concord::experiments
