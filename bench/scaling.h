// SPDX-License-Identifier: Apache-2.0
// How the engine's plans scale with threads, measured as far as there are processors, and by
// simulation beyond.
#ifndef CONCORD_BENCH_SCALING_H_
#define CONCORD_BENCH_SCALING_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/layer.h"
#include "bench/measure.h"
#include "bench/simulation.h"
#include "optimized/options.h"

namespace concord::bench {

/// One layer's speedups over one thread.
struct ScaledLayer {
  std::string name, family, problem;
  double seconds = 0;  ///< of one thread
  std::vector<int> threads{};
  std::vector<double> simulated{};
  std::vector<std::size_t> tasks{};  ///< of the plan for so many threads, in its longest run
  double measured = 0;               ///< with two threads; 0: not measured
};

class Scaling {
 public:
  /// `options` says for how many threads at most.
  Scaling(const Setting& setting, const optimized::Options& options, int rounds,
          double milliseconds);

  void print_header() const;
  /// Measures one layer and prints its row. False if the engine refuses it.
  bool run(const Layer& layer);
  void print_summary() const;
  nlohmann::json json() const;

 private:
  Setting setting_;
  optimized::Options options_;
  int rounds_;
  double turn_seconds_;
  MachineModel machine_{};
  std::vector<int> threads_{};
  std::vector<ScaledLayer> layers_{};
};

}  // namespace concord::bench

#endif  // CONCORD_BENCH_SCALING_H_
