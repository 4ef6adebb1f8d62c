// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/lack.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "conformance/worker/cgroup.h"

namespace concord::conformance {
namespace {

constexpr int kLacks[] = {EMFILE, ENFILE, EAGAIN, ENOMEM};

// Set once, before there are threads.
std::optional<rlim_t> earlier_limit;  // NOLINT(*-avoid-non-const-global-variables)

rlimit limit_of(__rlimit_resource_t resource) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(resource, &limit);
  return limit;
}

std::string text_of(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

std::string process_limits() {
  std::string text = "; user " + std::to_string(getuid()) + " may have " +
                     text_of(limit_of(RLIMIT_NPROC).rlim_cur) +
                     " processes and threads (ulimit -u)";
  const auto group = cgroup_process_limit();
  return group ? text + ", the control group " + std::to_string(*group) + " (pids.max)" : text;
}

std::string memory_limits() {
  std::string text = "; a process may have " + text_of(limit_of(RLIMIT_AS).rlim_cur) +
                     " bytes of addresses (ulimit -v)";
  const auto group = cgroup_memory_limit();
  return group ? text + ", the control group " + std::to_string(*group) + " bytes of memory" : text;
}

}  // namespace

bool is_lack(int error) {
  for (const int lack : kLacks) {
    if (error == lack) return true;
  }
  return false;
}

int lack_in(std::string_view text) {
  if (text.find("Cannot fork") != std::string_view::npos) return EAGAIN;  // dash says no more
  for (const int lack : kLacks) {
    if (text.find(std::strerror(lack)) != std::string_view::npos) return lack;
  }
  return 0;
}

std::string explain_error(int error) {
  const std::string text = std::strerror(error);
  switch (error) {
    case EMFILE:
      return text + "; a process may have " + text_of(limit_of(RLIMIT_NOFILE).rlim_cur) +
             " (ulimit -n)";
    case ENFILE:
      return text + " on the whole machine (/proc/sys/fs/file-max)";
    case EAGAIN:
      return text + process_limits();
    case ENOMEM:
      return text + memory_limits();
    default:
      return text;
  }
}

std::string describe(const StartError& error) {
  return error.what + ": " + explain_error(error.error);
}

void raise_descriptor_limit() {
  if (earlier_limit) return;
  rlimit limit = limit_of(RLIMIT_NOFILE);
  earlier_limit = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);  // at worst it stays as it is
}

rlim_t descriptor_limit_of_children() {
  return earlier_limit.value_or(limit_of(RLIMIT_NOFILE).rlim_cur);
}

}  // namespace concord::conformance
