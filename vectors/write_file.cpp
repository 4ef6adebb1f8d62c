// SPDX-License-Identifier: Apache-2.0
#include "vectors/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace concord::vectors {
namespace {

namespace fs = std::filesystem;

// Beyond the largest size of a file (ulimit -f), write() also sends a signal, which would end us.
class SizeErrorsAreNoSignals {
 public:
  SizeErrorsAreNoSignals() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~SizeErrorsAreNoSignals() {
    const int error = errno;
    if (sigismember(&before_, SIGXFSZ) == 0) {
      const timespec now{};
      while (sigtimedwait(&only_, nullptr, &now) > 0) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  SizeErrorsAreNoSignals(const SizeErrorsAreNoSignals&) = delete;
  SizeErrorsAreNoSignals& operator=(const SizeErrorsAreNoSignals&) = delete;

 private:
  sigset_t only_{}, before_{};
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Writes, brings it to the disk if `durable`, and closes; errno says what failed.
bool fill_and_close(int file, std::string_view text, bool durable) {
  const SizeErrorsAreNoSignals quiet;
  const bool written = write_all(file, text) && (!durable || fsync(file) == 0);
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!written) errno = error;
  return written && closed;
}

// The file that `path` means, symbolic links followed.
std::string target_of(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  return error ? path : whole.string();
}

bool is_device_or_pipe(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

// No other process and no other thread of this one uses it.
std::string temporary_beside(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.part-{}-{}", path, getpid(), counter++);
}

// A new file for the contents of `path`, with the permissions of the one that is there.
int open_new(const std::string& temporary, const std::string& path) {
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  struct stat old {};
  if (file >= 0 && stat(path.c_str(), &old) == 0) (void)fchmod(file, old.st_mode & 07777);
  return file;
}

std::string cannot_write(const std::string& path) {
  return fmt::format("cannot write {}: {}", path, std::strerror(errno));
}

// A rename is on the disk once its folder is. Where a folder cannot be synchronized, it is not.
void synchronize_folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const int opened =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  (void)fsync(opened);
  close(opened);
}

}  // namespace

std::optional<std::string> why_not_writable(const std::string& path) {
  if (path.empty()) return "cannot write a file without a name";
  if (is_device_or_pipe(path)) {
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return cannot_write(path);
    close(file);
    return std::nullopt;
  }
  const std::string target = target_of(path), temporary = temporary_beside(target);
  const int file = open_new(temporary, target);
  if (file < 0) return cannot_write(path);
  close(file);
  unlink(temporary.c_str());
  return std::nullopt;
}

std::optional<std::string> write_file(const std::string& path, std::string_view text) {
  if (path.empty()) return "cannot write a file without a name";
  if (is_device_or_pipe(path)) {
    const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file >= 0 && fill_and_close(file, text, false)) return std::nullopt;
    return cannot_write(path);
  }
  const std::string target = target_of(path), temporary = temporary_beside(target);
  const int file = open_new(temporary, target);
  if (file < 0) return cannot_write(path);
  if (!fill_and_close(file, text, true) || std::rename(temporary.c_str(), target.c_str()) != 0) {
    std::string trouble = cannot_write(path);
    unlink(temporary.c_str());
    return trouble;
  }
  synchronize_folder_of(target);
  return std::nullopt;
}

}  // namespace concord::vectors
