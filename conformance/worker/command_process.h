// SPDX-License-Identifier: Apache-2.0
// The process of a program behind `exec:`, before it becomes that program.
#ifndef CONCORD_CONFORMANCE_WORKER_COMMAND_PROCESS_H_
#define CONCORD_CONFORMANCE_WORKER_COMMAND_PROCESS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace concord::conformance {

/// The first argument of a program that a Host starts; the others are for serve_host().
inline constexpr std::string_view kWorkerArgument = "worker";

/// The descriptor of the shared memory in the process that becomes a command.
inline constexpr int kCommandArena = 3;

/// The limits of the process as an argument of serve_host().
std::string limits_argument(std::size_t memory, std::size_t descriptors);

/// Confines this process as `sandbox` says, a to_argument(), answers the host's request "start" on
/// standard input and output, and runs the command in a shell. Returns an exit code only if there
/// is no such request, or no shell.
int become_command(std::string_view sandbox, std::string_view limits, const char* command);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_COMMAND_PROCESS_H_
