// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace concord::conformance {
namespace {

// True if the call that set errno can be tried again, which may need a wait for the socket: a
// plugin can have made it non-blocking.
bool worth_another_try(int descriptor, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd ready{descriptor, event, 0};
  return poll(&ready, 1, -1) > 0 || errno == EINTR;
}

}  // namespace

std::optional<std::string> LineBuffer::take_line() {
  const std::size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    return std::nullopt;
  }
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  searched_ = 0;
  return line;
}

std::optional<std::string> WorkerChannel::receive() {
  std::array<char, 4096> chunk;
  while (true) {
    if (auto line = buffer_.take_line()) return line;
    const ssize_t got = recv(descriptor_, chunk.data(), chunk.size(), 0);
    if (got == 0 || (got < 0 && !worth_another_try(descriptor_, POLLIN))) return std::nullopt;
    if (got > 0) buffer_.append({chunk.data(), static_cast<std::size_t>(got)});
  }
}

bool WorkerChannel::is_open() const {
  pollfd ready{descriptor_, 0, 0};
  return poll(&ready, 1, 0) == 0;
}

bool WorkerChannel::send(std::string_view lines) const {
  while (!lines.empty()) {
    const ssize_t sent = ::send(descriptor_, lines.data(), lines.size(), MSG_NOSIGNAL);
    if (sent < 0 && !worth_another_try(descriptor_, POLLOUT)) return false;
    if (sent > 0) lines.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace concord::conformance
