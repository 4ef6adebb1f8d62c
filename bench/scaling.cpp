// SPDX-License-Identifier: Apache-2.0
#include "bench/scaling.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "bench/competitor.h"
#include "bench/summary.h"
#include "spec/dtype.h"

namespace concord::bench {
namespace {

using optimized::TaskSeconds;

std::vector<int> powers_of_two(int most) {
  std::vector<int> powers;
  for (int threads = 2; threads <= most; threads *= 2) powers.push_back(threads);
  return powers;
}

// Of several measurements of the same runs, each task's least.
std::vector<TaskSeconds> least_of(const std::vector<std::vector<TaskSeconds>>& all) {
  std::vector<TaskSeconds> least = all.front();
  for (const auto& runs : all) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      for (std::size_t task = 0; task < runs[run].size(); ++task) {
        least[run][task] = std::min(least[run][task], runs[run][task]);
      }
    }
  }
  return least;
}

/// One layer, planned for any number of threads.
class Measured {
 public:
  Measured(const Problem& problem, const optimized::Shape& shape, const Setting& setting)
      : problem_(problem),
        shape_(shape),
        packed_(setting.packed),
        inputs_(problem_),
        dst_(shape.dst_tensor, setting.dtype, 3) {}

  std::unique_ptr<Competitor> engine(optimized::Plan plan) {
    return make_engine(std::move(plan), inputs_.operands(problem_, shape_), packed_, dst_.data());
  }

  // The tasks of each run of a plan, on this thread. A plan that wakes no thread has one task.
  std::vector<TaskSeconds> tasks(optimized::Plan plan, int rounds) {
    const bool is_parallel = plan.thread_pool->wakes_threads();
    std::vector<TaskSeconds> runs;
    plan.thread_pool = std::make_shared<const optimized::ThreadPool>(plan.threads(), &runs);
    const auto competitor = engine(std::move(plan));
    std::vector<std::vector<TaskSeconds>> all;
    for (int round = 0; round <= rounds; ++round) {
      runs.clear();
      competitor->run();
      if (round > 0) all.push_back(runs);
    }
    runs = least_of(all);
    if (is_parallel) return runs;
    double seconds = 0;
    for (const TaskSeconds& run : runs) {
      for (const double task : run) seconds += task;
    }
    return {{seconds}};
  }

 private:
  const Problem& problem_;
  const optimized::Shape& shape_;
  bool packed_;
  Inputs inputs_;
  Elements dst_;
};

std::size_t most_tasks(const std::vector<TaskSeconds>& runs) {
  std::size_t most = 0;
  for (const TaskSeconds& run : runs) most = std::max(most, run.size());
  return most;
}

// Mean, 5th percentile and least speedup by `threads[place]`.
Aggregate speedups(const std::vector<ScaledLayer>& layers, std::size_t place) {
  std::vector<double> values(layers.size());
  std::ranges::transform(layers, values.begin(),
                         [&](const ScaledLayer& layer) { return layer.simulated[place]; });
  return aggregate_of(values);
}

}  // namespace

Scaling::Scaling(const Setting& setting, const optimized::Options& options, int rounds,
                 double milliseconds)
    : setting_(setting),
      options_(options),
      rounds_(rounds),
      turn_seconds_(milliseconds * 1e-3),
      threads_(powers_of_two(options.threads)) {
  machine_.core_bytes = measure_triad(1, Clock::kWall);
}

void Scaling::print_header() const {
  fmt::print("speedup over one thread: of 2 measured, of more simulated\n{:26} {:>9} {:>8}",
             "layer", "us", "measured");
  for (const int threads : threads_) fmt::print(" {:>6}", threads);
  fmt::print("  tasks for {}\n", threads_.back());
}

bool Scaling::run(const Layer& layer) {
  const Problem problem = with_setting(layer.problem, setting_);
  const auto planned = [&](int threads) {
    optimized::Options options = options_;
    options.threads = threads;
    return optimized::make_plan(problem, options);
  };
  auto one = planned(1);
  if (!one) {
    fmt::print(stderr, "{}: {}\n", layer.name, one.why().detail);
    return false;
  }
  ScaledLayer scaled{
      .name = layer.name, .family = layer.network, .problem = print(problem), .threads = threads_};
  const optimized::Shape shape = one->shape;
  Measured measured(problem, shape, setting_);
  const double bytes = bytes_of(problem, shape);
  scaled.seconds = simulated_seconds(measured.tasks(*one, rounds_), 1, 0, machine_);
  for (const int threads : threads_) {
    const auto runs = measured.tasks(*planned(threads), rounds_);
    scaled.simulated.push_back(scaled.seconds / simulated_seconds(runs, threads, bytes, machine_));
    scaled.tasks.push_back(most_tasks(runs));
  }
  if (std::thread::hardware_concurrency() >= 2) {
    const auto alone = measured.engine(*one), together = measured.engine(*planned(2));
    const Rounds rounds = take_turns({[&] { alone->run(); }, [&] { together->run(); }}, rounds_,
                                     turn_seconds_, Clock::kWall);
    scaled.measured = *std::ranges::min_element(rounds[0]) / *std::ranges::min_element(rounds[1]);
  }
  fmt::print("{:26} {:9.1f} {:8.2f}", scaled.name, 1e6 * scaled.seconds, scaled.measured);
  for (const double speedup : scaled.simulated) fmt::print(" {:6.2f}", speedup);
  fmt::print("  {}\n", scaled.tasks.back());
  layers_.push_back(std::move(scaled));
  return true;
}

void Scaling::print_summary() const {
  fmt::print("\n{:>8} {:>8} {:>8} {:>8}\n", "threads", "mean", "5 %", "least");
  std::vector<double> measured;
  for (const ScaledLayer& layer : layers_) {
    if (layer.measured > 0) measured.push_back(layer.measured);
  }
  if (!measured.empty()) {
    const Aggregate all = aggregate_of(measured);
    fmt::print("{:>8} {:8.2f} {:8.2f} {:8.2f} measured\n", 2, all.mean, all.low, all.least);
  }
  for (std::size_t place = 0; place < threads_.size(); ++place) {
    const Aggregate all = speedups(layers_, place);
    fmt::print("{:>8} {:8.2f} {:8.2f} {:8.2f}\n", threads_[place], all.mean, all.low, all.least);
  }
}

nlohmann::json Scaling::json() const {
  auto layers = nlohmann::json::array();
  for (const ScaledLayer& layer : layers_) {
    layers.push_back({{"name", layer.name},
                      {"family", layer.family},
                      {"problem", layer.problem},
                      {"seconds", layer.seconds},
                      {"measured", layer.measured},
                      {"simulated", layer.simulated},
                      {"tasks", layer.tasks}});
  }
  return {{"threads", threads_},
          {"dtype", to_string(setting_.dtype)},
          {"data_format", to_string(setting_.data_format)},
          {"packed", setting_.packed},
          {"machine",
           {{"wake_seconds", machine_.wake_seconds},
            {"task_seconds", machine_.task_seconds},
            {"memory_cores", machine_.memory_cores},
            {"core_bytes", machine_.core_bytes},
            {"last_level_bytes", machine_.last_level_bytes}}},
          {"scaling", layers}};
}

}  // namespace concord::bench
