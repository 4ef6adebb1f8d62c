// SPDX-License-Identifier: Apache-2.0
// The experiments of "From Discrete to Continuous Convolution Layers", each a function from a
// backend to numbers and a picture. docs/experiments.md describes them.
#ifndef CONCORD_EXPERIMENTS_EXPERIMENT_H_
#define CONCORD_EXPERIMENTS_EXPERIMENT_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/backend.h"

namespace concord::experiments {

/// kFast takes seconds and shows the same ordering: tests run it.
enum class Effort { kFast, kFull };

struct Outcome {
  nlohmann::ordered_json numbers{};
  std::string svg{};
  std::string summary{};  ///< lines for the terminal
};

Outcome figure3(Backend& backend, Effort effort);
Outcome figure5(Backend& backend, Effort effort);
Outcome figure6(Backend& backend, Effort effort);
Outcome figure7(Backend& backend, Effort effort);
/// Section 6's scale ensembles of a classifier.
Outcome ensemble(Backend& backend, Effort effort);
Outcome table1(Backend& backend, Effort effort);
Outcome table5(Backend& backend, Effort effort);
Outcome table6(Backend& backend, Effort effort);
/// Appendix B.2.
Outcome epochs(Backend& backend, Effort effort);

struct Experiment {
  std::string name{}, title{};
  std::function<Outcome(Backend&, Effort)> run{};
};
const std::vector<Experiment>& experiments();

/// Runs one; its numbers say which, on what, and how many seconds of processor time it took.
Outcome run(const Experiment& experiment, Backend& backend, Effort effort);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_EXPERIMENT_H_
