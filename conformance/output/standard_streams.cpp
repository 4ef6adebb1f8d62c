// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace concord::conformance {

void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is the one that is missing.
    const int access = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", access) < 0) return;
  }
}

void tell(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void TakenStandardOutput::take() {
  std::fflush(stdout);
  descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

std::optional<std::string> TakenStandardOutput::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::string("cannot write standard output: ") + std::strerror(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

WriteErrorsAreNoSignals::WriteErrorsAreNoSignals()
    : on_pipe_(std::signal(SIGPIPE, SIG_IGN)), on_size_(std::signal(SIGXFSZ, SIG_IGN)) {}

WriteErrorsAreNoSignals::~WriteErrorsAreNoSignals() {
  std::signal(SIGPIPE, on_pipe_);
  std::signal(SIGXFSZ, on_size_);
}

}  // namespace concord::conformance
