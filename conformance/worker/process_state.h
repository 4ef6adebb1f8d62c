// SPDX-License-Identifier: Apache-2.0
// What a plugin must leave in the process as it finds it, besides the floating-point environment.
#ifndef CONCORD_CONFORMANCE_WORKER_PROCESS_STATE_H_
#define CONCORD_CONFORMANCE_WORKER_PROCESS_STATE_H_

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/worker/descriptor.h"

namespace concord::conformance {

/// A file of /proc: one system call reads what others tell one by one.
class ProcFile {
 public:
  explicit ProcFile(const char* path);
  /// What it says now; empty where there is no such file, or a plugin has closed it.
  std::string read() const;

 private:
  Descriptor file_;
};

/// The current directory, the file mode creation mask, signal handlers and the mask of blocked
/// signals, the environment, the locale, resource limits, and the x87 unit, as they were when this
/// was made.
class ProcessState {
 public:
  ProcessState();

  /// What is no longer so: "the current directory is /tmp, the variable LANG is set"; empty if
  /// nothing is. Puts it back.
  std::string restore() const;

  class Changes;  ///< what restore() says, as it grows

 private:
  /// Of signals, the first in the lowest bit.
  struct SignalSets {
    std::uint64_t ignored = 0, caught = 0;
    bool operator==(const SignalSets&) const = default;
  };
  static std::optional<SignalSets> sets_in(const std::string& status);
  SignalSets sets_of_handlers() const;
  void restore_signals(const std::string& status, Changes& changes) const;
  void restore_limits(Changes& changes) const;

  static constexpr std::size_t kSignals = 65;  // the first is none
  using Limits = std::array<rlimit, RLIM_NLIMITS>;

  ProcFile status_file_{"/proc/self/status"}, limits_file_{"/proc/self/limits"};
  std::string limits_text_;
  std::optional<SignalSets> sets_{};  ///< nothing where the file is not to be trusted
  std::string directory_;
  mode_t creation_mask_ = 0;
  sigset_t blocked_{};
  std::array<struct sigaction, kSignals> handlers_{};
  std::vector<std::string> environment_;
  std::string locale_;
  Limits limits_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_PROCESS_STATE_H_
