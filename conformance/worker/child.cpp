// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "conformance/worker/orphans.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// Descriptors are first moved up here, so that none of them is overwritten while they are put into
// their places in the child.
constexpr int kAboveAllPlaces = 32;

/// What posix_spawn() wants to know, freed at the end of the scope.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void place(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  void close_from(int first) { posix_spawn_file_actions_addclosefrom_np(&actions_, first); }
  int run(int& pid, char* const* arguments) const {
    return posix_spawnp(&pid, arguments[0], &actions_, &attributes_, arguments, environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::variant<std::unique_ptr<Child>, std::string> Child::spawn(
    const std::vector<std::string>& arguments, std::span<const int> descriptors) {
  CONCORD_CHECK(!arguments.empty() && descriptors.size() < kAboveAllPlaces)
      << arguments.size() << " arguments, " << descriptors.size() << " descriptors";
  const auto failed = [&](int error) {
    return "cannot start '" + arguments[0] + "': " + std::strerror(error);
  };
  SpawnPlan plan;
  std::vector<Descriptor> high;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    high.emplace_back(fcntl(descriptors[i], F_DUPFD_CLOEXEC, kAboveAllPlaces));
    if (!high.back()) return failed(errno);
    plan.place(high.back().get(), static_cast<int>(i));
  }
  plan.close_from(static_cast<int>(descriptors.size()));

  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int pid = 0, spawn_error = 0;
  Orphans::instance().adopt([&] {
    spawn_error = plan.run(pid, argv.data());
    return spawn_error == 0 ? pid : 0;
  });
  if (spawn_error != 0) return failed(spawn_error);
  // By number: in glibc 2.36 the header of the function does not work in C++.
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const int error = errno;
  std::unique_ptr<Child> child(new Child(pid, std::move(pidfd)));
  if (!child->pidfd_) return failed(error);
  return child;
}

bool Child::wait(std::chrono::milliseconds patience) const {
  if (reaped_) return true;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ended{pidfd(), POLLIN, 0};
    const int ready = poll(&ended, 1, static_cast<int>(std::max<long>(0, left.count())));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

int Child::kill_and_reap() {
  if (reaped_) return status_;
  // Before the process is reaped, so that its group's number cannot have a new owner. A process
  // that has left its group is met by its own number.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  Orphans::instance().bury(pid_);
  return status_;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

}  // namespace concord::conformance
