// SPDX-License-Identifier: Apache-2.0
// A process of ours, in a process group of its own: started, watched, and never left behind.
#ifndef CONCORD_CONFORMANCE_WORKER_CHILD_H_
#define CONCORD_CONFORMANCE_WORKER_CHILD_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/worker/descriptor.h"
#include "conformance/worker/lack.h"
#include "spec/result.h"

namespace concord::conformance {

class Child {
 public:
  /// Starts the program arguments[0], looked for in PATH if its name has no slash. In the child
  /// `descriptors[i]` is descriptor i, and no other is open.
  /// Errors  the program and errno
  static Result<std::unique_ptr<Child>, StartError> spawn(const std::vector<std::string>& arguments,
                                                          std::span<const int> descriptors);

  ~Child() { kill_and_reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int number() const { return pid_; }
  /// Readable once the process has ended.
  int pidfd() const { return pidfd_.get(); }

  /// Waits for the process to end by itself; false if it has not after `patience`.
  bool wait(std::chrono::milliseconds patience) const;

  /// Ends the process and its group by SIGKILL, if they have not ended, and returns the status of
  /// the process as waitpid() tells it. Later calls return the same.
  int kill_and_reap();

  /// The most memory that the process had at a time, in bytes, once it has been reaped; 0 if that
  /// is not known.
  std::size_t peak_memory() const { return peak_memory_; }

 private:
  Child(int pid, Descriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  int pid_;
  Descriptor pidfd_;
  bool reaped_ = false;
  int status_ = 0;
  std::size_t inherited_peak_ = 0, peak_memory_ = 0;
};

/// "SIGSEGV"; "signal 42" for one without a name.
std::string signal_name(int number);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_CHILD_H_
