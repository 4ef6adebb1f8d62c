// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/host_watch.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>

namespace concord::conformance {

bool watch_host(int channel) try {
  // The kernel's own PR_SET_PDEATHSIG will not do: it fires at the end of the thread that started
  // the worker, and the host's threads come and go.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the plugin's handlers are not run in the thread
  std::thread([channel] {
    pollfd hangup{channel, POLLRDHUP, 0};
    while (poll(&hangup, 1, -1) < 0 && errno == EINTR) {
    }
    if ((hangup.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) return;  // closed on this side
    kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL);
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return true;
} catch (const std::system_error& error) {
  std::fprintf(stderr, "cannot start a thread: %s\n", std::strerror(error.code().value()));
  return false;
}

}  // namespace concord::conformance
