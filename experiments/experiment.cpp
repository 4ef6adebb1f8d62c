// SPDX-License-Identifier: Apache-2.0
#include "experiments/experiment.h"

#include <fmt/core.h>

#include "experiments/clock.h"

namespace concord::experiments {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> kAll{
      {"figure3", "kernels learnt from bicubic resizing and from a rotated Gaussian", figure3},
      {"figure5", "an ensemble over sequences of scales, its mean and median", figure5},
      {"figure6", "where a cross is after many layers", figure6},
      {"figure7", "a layer trained at one scale, tested at 100 others", figure7},
      {"ensemble", "a classifier of shapes, applied with many sequences of scales", ensemble},
      {"table1", "features of shifted images, of convolutions and of layers", table1},
      {"table5", "time and memory of a layer in three ways and of a convolution", table5},
      {"table6", "the same of 1 to 32 layers", table6},
      {"epochs", "a step of the CC-net over one of the baseline (appendix B.2)", epochs},
  };
  return kAll;
}

Outcome run(const Experiment& experiment, Backend& backend, Effort effort) {
  const double start = processor_seconds();
  Outcome outcome = experiment.run(backend, effort);
  const double seconds = processor_seconds() - start;
  outcome.numbers["experiment"] = experiment.name;
  outcome.numbers["backend"] = backend.name();
  outcome.numbers["fast"] = effort == Effort::kFast;
  outcome.numbers["seconds"] = seconds;
  outcome.summary += fmt::format("{:.0f} seconds of processor time\n", seconds);
  return outcome;
}

}  // namespace concord::experiments
