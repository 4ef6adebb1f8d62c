// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
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

std::size_t peak_of(const rusage& usage) { return static_cast<std::size_t>(usage.ru_maxrss) << 10; }

}  // namespace

Result<std::unique_ptr<Child>, StartError> Child::spawn(const std::vector<std::string>& arguments,
                                                        std::span<const int> descriptors) {
  CONCORD_CHECK(!arguments.empty()) << "no program";
  const auto failed = [&](int error) {
    return StartError{"cannot start '" + arguments[0] + "'", error};
  };
  SpawnPlan plan;
  const auto places = static_cast<int>(descriptors.size());
  std::vector<Descriptor> high;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    int from = descriptors[i];
    // Those in the places of others move out of the way first, lest one overwrite another.
    if (from < places) {
      high.emplace_back(fcntl(from, F_DUPFD_CLOEXEC, places));
      // "Invalid": there are not even as many descriptors as places.
      if (!high.back()) return failed(errno == EINVAL ? EMFILE : errno);
      from = high.back().get();
    }
    plan.place(from, static_cast<int>(i));
  }
  plan.close_from(places);

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
  // Until it runs its program it has the memory of this process, which Linux counts as its own.
  rusage ours{};
  if (getrusage(RUSAGE_SELF, &ours) == 0) child->inherited_peak_ = peak_of(ours);
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
  rusage usage{};
  while (wait4(pid_, &status_, 0, &usage) < 0 && errno == EINTR) {
  }
  peak_memory_ = peak_of(usage) > inherited_peak_ ? peak_of(usage) : 0;
  reaped_ = true;
  Orphans::instance().bury(pid_);
  return status_;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

}  // namespace concord::conformance
