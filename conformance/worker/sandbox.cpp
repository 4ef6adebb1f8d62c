// SPDX-License-Identifier: Apache-2.0
// The processes of a sandbox:
//
//   host -> keeper -> init, process 1 of the sandbox -> worker
//
// The worker runs the plugin. Init reaps what the plugin leaves behind: process 1 cannot be killed
// from inside, and its end ends all others. The keeper ends as the worker did, which process 1
// cannot do: the kernel keeps signals of its own from it.
#include "conformance/worker/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/worker/descriptor.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::json;

std::string failed(const char* call) { return std::string(call) + ": " + std::strerror(errno); }

bool write_file(const char* path, const std::string& text) {
  const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The same user and group inside as outside: files belong to whom they belonged to.
bool map_identity(uid_t user, gid_t group) {
  const auto line = [](unsigned id) {
    return std::to_string(id) + " " + std::to_string(id) + " 1";
  };
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", line(user)) &&
         write_file("/proc/self/gid_map", line(group));
}

/// What init tells the keeper: once that the sandbox stands or why it does not, and at last how the
/// worker ended. Small enough to be written at once.
struct Report {
  int status = 0;
  std::array<char, 240> lack{};  // empty where nothing is lacking
};

bool send(int pipe, int status, const std::string& lack) {
  Report report{.status = status};
  lack.copy(report.lack.data(), report.lack.size() - 1);
  return write(pipe, &report, sizeof report) == sizeof report;
}

// Whether a limit of processes counts those of the user namespace alone.
bool counts_in_namespaces() {
  utsname system{};
  int version = 0, revision = 0;
  return uname(&system) == 0 &&
         std::sscanf(system.release, "%d.%d", &version, &revision) == 2 &&  // NOLINT(cert-err34-c)
         std::pair(version, revision) >= std::pair(5, 14);
}

// A child like fork()'s, but process 1 of namespaces of its own.
pid_t fork_into_namespaces() {
  constexpr unsigned long kNew =
      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC;
  return static_cast<pid_t>(syscall(SYS_clone, kNew | SIGCHLD, 0, 0, 0, 0));
}

// Neither keeper nor init keeps a pipe open whose end the host waits for.
void close_all_but(int kept) {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(descriptor);
  if (kept > 3) close_range(3, static_cast<unsigned>(kept) - 1, 0);
  close_range(static_cast<unsigned>(std::max(kept, 2)) + 1, ~0U, 0);
}

[[noreturn]] void end_like(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int signal = WTERMSIG(status);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);  // a signal whose default is not to end the process
}

// Reaps everything, and tells how the worker ended.
[[noreturn]] void be_init(pid_t worker, int pipe) {
  shield_memory();
  close_all_but(pipe);
  while (true) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended < 0 && errno != EINTR) _exit(1);
    if (ended == worker) _exit(send(pipe, status, "") ? 0 : 1);
  }
}

// Waits for init, or for the end of the host, after which nobody needs any of this.
[[noreturn]] void be_keeper(pid_t init, pid_t host, int pipe, const ControlGroup& group) {
  shield_memory();
  close_all_but(pipe);
  const Descriptor host_end(static_cast<int>(syscall(SYS_pidfd_open, host, 0)));
  const Descriptor init_end(static_cast<int>(syscall(SYS_pidfd_open, init, 0)));
  pollfd ends[] = {{init_end.get(), POLLIN, 0}, {host_end.get(), POLLIN, 0}};
  if (getppid() == host) {  // else it has ended, and its number may be another's
    while (poll(ends, 2, -1) < 0 && errno == EINTR) {
    }
  }
  if (ends[0].revents == 0) kill(init, SIGKILL);
  while (waitpid(init, nullptr, 0) < 0 && errno == EINTR) {
  }
  group.remove();
  Report report{.status = SIGKILL};
  if (read(pipe, &report, sizeof report) != sizeof report) end_like(SIGKILL);
  end_like(report.status);
}

// For users other than root, whom the kernel holds to it. Since Linux 5.14 it counts the processes
// of this user namespace; before that, all of the user's, which may be more.
void limit_processes(std::uint64_t most) {
  rlimit limit{};
  if (most == 0 || !counts_in_namespaces() || getrlimit(RLIMIT_NPROC, &limit) != 0) return;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(RLIMIT_NPROC, &limit);
}

// Sets the sandbox up and forks the worker; only in the worker does it return.
void be_init_or_worker(const SandboxOptions& options, uid_t user, gid_t group, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string lack =
      map_identity(user, group) ? restrict_files(options) : failed("the map of users");
  const pid_t worker = lack.empty() ? fork() : 0;
  if (!lack.empty() || worker < 0) {
    send(pipe, 0, lack.empty() ? failed("fork") : lack);
    _exit(1);
  }
  if (worker == 0) return limit_processes(options.together.processes);
  if (!send(pipe, 0, "")) _exit(1);
  be_init(worker, pipe);
}

// Returns in the worker, and in this process if there is to be no sandbox: then with the reason.
std::string enter_namespaces(const SandboxOptions& options) {
  const pid_t host = getppid();
  const uid_t user = geteuid();
  const gid_t group = getegid();
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return failed("pipe2");
  const Descriptor ours(pipe_ends[0]);
  Descriptor its(pipe_ends[1]);
  const ControlGroup together = ControlGroup::make(options.together);
  together.enter();
  const pid_t init = fork_into_namespaces();
  if (init == 0) {
    be_init_or_worker(options, user, group, its.get());
    return "";
  }
  const std::string lack = init < 0 ? failed("new namespaces") : "";
  together.leave();
  if (init < 0) {
    together.remove();
    return lack;
  }
  its.close();
  Report report{};
  const bool told = read(ours.get(), &report, sizeof report) == sizeof report;
  if (told && report.lack[0] == '\0') be_keeper(init, host, ours.get(), together);
  kill(init, SIGKILL);
  while (waitpid(init, nullptr, 0) < 0 && errno == EINTR) {
  }
  together.remove();
  return told ? report.lack.data() : "process 1 of the sandbox has ended";
}

}  // namespace

Confinement confine(const SandboxOptions& options) {
  if (options.mode == SandboxMode::kOff) return {.lack = "--sandbox off"};
  const std::string lack = enter_namespaces(options);
  std::string why = drop_capabilities();
  if (why.empty()) why = filter_system_calls(lack.empty());
  if (!why.empty()) return {SandboxLevel::kLimits, why};
  if (!lack.empty()) return {SandboxLevel::kFilter, lack};
  return {SandboxLevel::kNamespaces, ""};
}

std::string to_argument(const SandboxOptions& options) {
  return Json{{"off", options.mode == SandboxMode::kOff},
              {"writable", options.writable},
              {"hidden", options.hidden},
              {"visible", options.visible},
              {"memory", options.together.memory},
              {"processes", options.together.processes}}
      .dump();
}

SandboxOptions sandbox_options_from(std::string_view argument) {
  const Json given = Json::parse(argument);
  const auto paths = [&](const char* name) {
    return given.at(name).get<std::vector<std::string>>();
  };
  return {.mode = given.at("off").get<bool>() ? SandboxMode::kOff : SandboxMode::kAuto,
          .writable = paths("writable"),
          .hidden = paths("hidden"),
          .visible = paths("visible"),
          .together = {.memory = given.at("memory").get<std::uint64_t>(),
                       .processes = given.at("processes").get<std::uint64_t>()}};
}

}  // namespace concord::conformance
