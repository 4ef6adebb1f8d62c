// SPDX-License-Identifier: Apache-2.0
// What `concord run` does of `concord shrink`: some failures of each backend, made small.
#ifndef CONCORD_CONFORMANCE_COMMAND_SHRINK_FAILURES_H_
#define CONCORD_CONFORMANCE_COMMAND_SHRINK_FAILURES_H_

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/output/results.h"
#include "conformance/run/runner.h"
#include "conformance/shrink/trial.h"

namespace concord::conformance {

struct ShrinkOptions {
  int count = 1;         ///< failures of each backend
  int budget = 200;      ///< of each of them: a second or two
  double seconds = 120;  ///< for each of them, where a backend lets every trial wait
  std::optional<std::string> programs{};

  void add_to(CLI::App& command);
  std::chrono::milliseconds time_limit() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  }
};

/// Shrinks failures of each backend, one a tier first, those with the least to compute first. Stops
/// when `stop` turns true.
/// Where there can be no C program, such as of an exec backend, a shell script replays the case in
/// its place. What cannot be written is told on standard error, and the others go on.
void shrink_failures(const ShrinkOptions& shrink, const std::vector<Case>& cases,
                     const RunOptions& options, const RunDescription& description,
                     const std::atomic<bool>& stop, RunOutcome& outcome);

/// Writes the failure's program to `path` and notes that in `shrunk`.
/// Errors  a sentence; empty on success
std::string write_program(Shrunk& shrunk, const TrialOptions& options, const std::string& path);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_SHRINK_FAILURES_H_
