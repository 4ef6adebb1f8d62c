// SPDX-License-Identifier: Apache-2.0
// What keeps a plugin from everything that is not its own: namespaces, a view of the file system
// that it cannot change, and a filter of system calls. docs/sandbox.md says what each of them is
// for.
#ifndef CONCORD_CONFORMANCE_WORKER_SANDBOX_H_
#define CONCORD_CONFORMANCE_WORKER_SANDBOX_H_

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/worker/control_group.h"
#include "spec/words.h"

namespace concord::conformance {

/// Whether workers are confined: if the kernel lets us, or not at all.
enum class SandboxMode { kAuto, kOff };
/// How far a worker is confined. Limits of memory and descriptors hold in all of them.
enum class SandboxLevel { kLimits, kFilter, kNamespaces };

}  // namespace concord::conformance

namespace concord {
/// As results and the last lines of a run print it.
template <>
inline constexpr std::array kWords<conformance::SandboxLevel> =
    std::to_array<std::string_view>({"rlimits", "seccomp", "namespaces+seccomp"});
}  // namespace concord

namespace concord::conformance {

struct SandboxOptions {
  SandboxMode mode = SandboxMode::kAuto;
  /// Paths that the plugin may write, as far as the user's own rights go. All others are read-only.
  std::vector<std::string> writable{};
  /// Files and folders that it cannot see: they look empty.
  std::vector<std::string> hidden{};
  /// Paths that it must see even where they lie in a folder that it has to itself, such as /tmp.
  std::vector<std::string> visible{};
  /// What all its processes may use together.
  GroupLimits together{.memory = 0, .processes = 4096};
};

/// The same as the one argument that a worker is started with, and back.
/// Errors  std::exception for any other text
std::string to_argument(const SandboxOptions& options);
SandboxOptions sandbox_options_from(std::string_view argument);

/// What a worker has become.
struct Confinement {
  SandboxLevel level = SandboxLevel::kLimits;
  std::string lack{};  ///< why the level is not the highest: "unshare: Operation not permitted"
};

/// Confines this process, which must have one thread and no children, and returns in the process
/// that goes on: with namespaces that is a grandchild of this one. This one then ends as that
/// one does, with the same exit code or by the same signal, and ends it if the process that started
/// this one ends. Nothing that is started in the sandbox outlives it.
Confinement confine(const SandboxOptions& options);

/// Keeps other processes of the same user from reading and writing this one's memory. For the host,
/// once it starts workers.
void shield_memory();

/// The parts of confine(). Each returns an empty text, or which call failed and why.
/// Makes everything read-only but `writable`, and gives the process a /proc, /tmp, /run and
/// /dev/shm of its own. In a new mount namespace.
std::string restrict_files(const SandboxOptions& options);
/// Gives up all capabilities, for good, but those of reading and writing files of others.
std::string drop_capabilities();
/// Refuses the system calls that reach other processes or change what surrounds this one. `alone`
/// is true if there are no other processes that it could reach by signals.
std::string filter_system_calls(bool alone);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_SANDBOX_H_
