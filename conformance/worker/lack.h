// SPDX-License-Identifier: Apache-2.0
// Resources that may be missing when a process is started, which is not the backend's fault.
#ifndef CONCORD_CONFORMANCE_WORKER_LACK_H_
#define CONCORD_CONFORMANCE_WORKER_LACK_H_

#include <sys/resource.h>

#include <string>
#include <string_view>

namespace concord::conformance {

/// A system call of the host's that failed while a process was being started.
struct StartError {
  std::string what{};  ///< "cannot start '/bin/sh'"
  int error = 0;       ///< errno
};

/// True if `error` means that descriptors, processes or memory are exhausted, and may be available
/// again when other processes have ended.
bool is_lack(int error);

/// The lack that `text`, printed by a shell or by the dynamic loader, tells of; 0 for none.
int lack_in(std::string_view text);

/// "Too many open files; a process may have 1024 (ulimit -n)": the error, and of a lack the limit
/// and its value.
std::string explain_error(int error);

/// "cannot start '/bin/sh': Too many open files; ...".
std::string describe(const StartError& error);

/// Raises this process's limit of open descriptors as far as it may. Processes that it starts get
/// the earlier limit back. Later calls do nothing.
void raise_descriptor_limit();
/// The limit before it was raised; the one in force if it never was.
rlim_t descriptor_limit_of_children();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_LACK_H_
