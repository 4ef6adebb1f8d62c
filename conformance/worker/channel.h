// SPDX-License-Identifier: Apache-2.0
// The channel between host and worker: a stream socket that carries lines of text.
#ifndef CONCORD_CONFORMANCE_WORKER_CHANNEL_H_
#define CONCORD_CONFORMANCE_WORKER_CHANNEL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace concord::conformance {

/// The longest message; a process that sends a longer line violates the protocol.
inline constexpr std::size_t kLongestLine = 1 << 20;

/// The exit code of a worker whose channel is gone.
inline constexpr int kChannelLost = 97;
/// Its exit code if it cannot start.
inline constexpr int kCannotStart = 96;

/// Cuts a stream of bytes into lines.
class LineBuffer {
 public:
  void append(std::string_view bytes) { bytes_.append(bytes); }
  /// The next whole line, without its end; nothing if there is none yet.
  std::optional<std::string> take_line();
  bool empty() const { return bytes_.empty(); }
  bool has_line() const { return bytes_.find('\n', searched_) != std::string::npos; }
  bool overlong() const { return bytes_.size() > kLongestLine; }

 private:
  std::string bytes_{};
  std::size_t searched_ = 0;  ///< bytes that are known to hold no end of line
};

/// The worker's end, which may wait for as long as it takes.
class WorkerChannel {
 public:
  explicit WorkerChannel(int descriptor) : descriptor_(descriptor) {}
  /// The next line; nothing once the host is gone.
  std::optional<std::string> receive();
  /// True if it need not be waited for.
  bool has_received() const { return buffer_.has_line(); }
  /// False if a plugin has closed it, or shut down both directions.
  bool is_open() const;
  /// Sends whole lines; false if that is impossible.
  bool send(std::string_view lines) const;

 private:
  int descriptor_;
  LineBuffer buffer_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_CHANNEL_H_
