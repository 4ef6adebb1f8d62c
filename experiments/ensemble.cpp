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

constexpr double kDecay = 0.0005;  // the paper's

// Nets of fewer layers than Table 3, whose scales vary by more.
struct Plan {
  std::vector<NetRow> rows{};
  double rate = 0, deviation = 0;  // of Adam, of the scales
  Extent side = 0;
  int steps = 0, batch = 0, tests = 0, sequences = 0, seeds = 0;
};

Plan plan_of(Effort effort) {
  if (effort == Effort::kFast) {
    return {{{4, 3}, {6, 4}, {8, 4}}, 0.005, 0.1, 16, 300, 16, 2000, 12, 2};
  }
  return {{{8, 3}, {8, 4}, {16, 3}, {16, 4}}, 0.003, 0.05, 32, 1500, 16, 4000, 24, 5};
}

Path any_path(const Plan& plan, Random& random) {
  return random_path(plan.side, random, static_cast<int>(plan.rows.size()), plan.deviation);
}

struct Trained {
  Classifier net;
  Points losses{};  // by step
};

// As in appendix A.2, each step has another sequence of scales.
Trained train(Backend& backend, const Plan& plan, Random& random) {
  Trained result{Classifier(plan.side, kShapes, plan.rows, 32, random)};
  for (int step = 0; step < plan.steps; ++step) {
    const Labelled batch = shapes(plan.batch, plan.side, random);
    const auto gradients = result.net.gradients(backend, batch, any_path(plan, random));
    result.losses.emplace_back(step, gradients.loss);
    const double part = static_cast<double>(step) / plan.steps;
    result.net.step(gradients, plan.rate * 0.5 * (1 + std::cos(std::numbers::pi * part)), kDecay);
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

// One net, trained from one seed.
struct Trial {
  Points losses{};
  Labelled tests{};
  std::vector<double> singles{};         // the accuracy of each sequence
  std::vector<double> mean{}, median{};  // of the ensembles of each size
};

constexpr std::size_t kSizes[] = {1, 2, 3, 6, 12, 24};

Trial try_seed(Backend& backend, const Plan& plan, std::uint64_t seed) {
  Random random(seed);
  const Trained trained = train(backend, plan, random);
  Trial trial{trained.losses, shapes(plan.tests, plan.side, random)};
  Logits all;
  for (int i = 0; i < plan.sequences; ++i) {
    all.push_back(trained.net.logits(backend, trial.tests.images, any_path(plan, random)));
    trial.singles.push_back(accuracy(all.back(), trial.tests.labels));
  }
  for (const std::size_t size : kSizes) {
    if (size > all.size()) break;
    trial.mean.push_back(accuracy_of_groups(all, size, trial.tests.labels, mean_of));
    trial.median.push_back(accuracy_of_groups(all, size, trial.tests.labels, median_of));
  }
  return trial;
}

// Mean and standard deviation over the seeds.
struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  Spread result;
  for (const double value : values) result.mean += value / count;
  for (const double value : values) {
    result.deviation += (value - result.mean) * (value - result.mean) / (count - 1);
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

struct Row {
  std::size_t size = 0;
  Spread mean{}, median{};            // accuracies
  Spread mean_gain{}, median_gain{};  // over one sequence of the same net
};

std::vector<Row> rows_of(const std::vector<Trial>& trials) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < trials[0].mean.size(); ++i) {
    std::vector<double> mean, median, mean_gain, median_gain;
    for (const Trial& trial : trials) {
      mean.push_back(trial.mean[i]);
      median.push_back(trial.median[i]);
      mean_gain.push_back(trial.mean[i] - trial.mean[0]);
      median_gain.push_back(trial.median[i] - trial.mean[0]);
    }
    rows.push_back(
        {kSizes[i], spread(mean), spread(median), spread(mean_gain), spread(median_gain)});
  }
  return rows;
}

void draw_losses(Picture& picture, const std::vector<Trial>& trials) {
  picture.text(60, 20, "the trainings", "font-weight=\"bold\"");
  picture.axes({60, 50, 320, 210}, {0, static_cast<double>(trials[0].losses.size()), 0, 1.6, false,
                                    "step", "cross entropy, mean of 25 steps"});
  for (const Trial& trial : trials) {
    Points smooth;
    for (std::size_t step = 25; step <= trial.losses.size(); step += 25) {
      double sum = 0;
      for (std::size_t i = step - 25; i < step; ++i) sum += trial.losses[i].second;
      smooth.emplace_back(step, sum / 25);
    }
    picture.line(smooth, "#1a6fb0");
  }
}

std::string draw(const std::vector<Trial>& trials, const std::vector<Row>& rows) {
  Picture picture(830, 470);
  draw_losses(picture, trials);
  picture.text(470, 20, "accuracy gained over one sequence", "font-weight=\"bold\"");
  picture.axes({470, 50, 320, 210}, {0, static_cast<double>(rows.back().size) + 1, -1, 4, false,
                                     "sequences of scales in the ensemble", "points of per cent"});
  Points mean, median;
  for (const Row& row : rows) {
    mean.emplace_back(row.size, 100 * row.mean_gain.mean);
    median.emplace_back(row.size, 100 * row.median_gain.mean);
  }
  for (const Trial& trial : trials) {
    Points gains;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      gains.emplace_back(rows[i].size, 100 * (trial.mean[i] - trial.mean[0]));
    }
    picture.line(gains, "#bbb");
  }
  picture.line(median, "#e08214", true);
  picture.line(mean, "#1a6fb0");
  picture.points(mean, "#1a6fb0");
  picture.text(470, 312, "grey: each net, mean of logits; blue: all nets; dashed: median");
  picture.text(60, 335, "test images");
  const Values& images = trials[0].tests.images;
  const Extent side = images.dims[2];
  for (Extent i = 0; i < 8; ++i) {
    Image image(side, side);
    std::copy_n(images.at.begin() + i * side * side, side * side, image.at.begin());
    picture.image({60 + 92 * static_cast<double>(i), 345, 86, 86}, image, {Colours::kGrey, -3, 3});
  }
  return picture.svg();
}

nlohmann::ordered_json json_of(const Spread& spread) {
  return {{"mean", spread.mean}, {"deviation", spread.deviation}};
}

}  // namespace

Outcome ensemble(Backend& backend, Effort effort) {
  const Plan plan = plan_of(effort);
  Outcome outcome;
  std::vector<Trial> trials;
  for (int i = 0; i < plan.seeds; ++i) {
    trials.push_back(try_seed(backend, plan, 90 + static_cast<std::uint64_t>(i)));
    outcome.numbers["seeds"].push_back({{"single_accuracy", trials.back().singles},
                                        {"mean_accuracy", trials.back().mean},
                                        {"median_accuracy", trials.back().median}});
  }
  const std::vector<Row> rows = rows_of(trials);
  for (const Row& row : rows) {
    outcome.numbers["rows"].push_back({{"sequences", row.size},
                                       {"mean_accuracy", json_of(row.mean)},
                                       {"median_accuracy", json_of(row.median)},
                                       {"mean_gain", json_of(row.mean_gain)},
                                       {"median_gain", json_of(row.median_gain)}});
    outcome.summary += fmt::format(
        "{:2} sequences  mean of logits {:.2f} % +- {:.2f}, gain {:.2f} +- {:.2f}  median {:.2f} "
        "%, "
        "gain {:.2f} +- {:.2f}\n",
        row.size, 100 * row.mean.mean, 100 * row.mean.deviation, 100 * row.mean_gain.mean,
        100 * row.mean_gain.deviation, 100 * row.median.mean, 100 * row.median_gain.mean,
        100 * row.median_gain.deviation);
  }
  outcome.svg = draw(trials, rows);
  return outcome;
}

}  // namespace concord::experiments
