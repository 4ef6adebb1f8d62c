// SPDX-License-Identifier: Apache-2.0
// The part of `concord shrink` in `concord run`: shrinks some failures of each backend.
#ifndef CONCORD_CONFORMANCE_COMMAND_SHRINK_FAILURES_H_
#define CONCORD_CONFORMANCE_COMMAND_SHRINK_FAILURES_H_

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/output/results.h"
#include "conformance/run/runner.h"
#include "conformance/shrink/trial.h"

namespace concord::conformance {

struct ShrinkOptions {
  int count = 1;         ///< failures of each backend
  int budget = 200;      ///< for each of them: a second or two
  double seconds = 120;  ///< for each of them, if every trial is slow
  std::optional<std::string> programs{};

  void add_to(CLI::App& command);
  std::chrono::milliseconds time_limit() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  }
};

/// Shrinks failures of each backend, one of each tier first, the cheapest first. Stops
/// when `stop` turns true.
/// Where no C program is possible, such as for an exec backend, a shell script that replays the
/// case is written instead. A failed write is reported on standard error; the others continue.
void shrink_failures(const ShrinkOptions& shrink, const CaseList& cases, const RunOptions& options,
                     const RunDescription& description, const std::atomic<bool>& stop,
                     RunOutcome& outcome);

/// Writes the failure's program to `path` and notes that in `shrunk`.
/// Errors  a sentence
std::optional<std::string> write_program(Shrunk& shrunk, const TrialOptions& options,
                                         const std::string& path);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_SHRINK_FAILURES_H_
