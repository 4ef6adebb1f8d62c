// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/python_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "conformance/command/command.h"
#include "conformance/command/installation.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& name,
                                  const std::vector<std::string>& arguments) {
  const fs::path script = data_directory("reports") / (name + ".py");
  std::error_code ignored;
  if (!fs::is_regular_file(script, ignored)) {
    throw UsageError(fmt::format("{} is missing: the installation is incomplete", script.string()));
  }
  std::vector<std::string> words = {CONCORD_PYTHON, script.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// Pointers into `words`, as exec wants them.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

[[noreturn]] void cannot_start(int error) {
  throw UsageError(fmt::format("cannot start {}: {}", CONCORD_PYTHON, std::strerror(error)));
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void become_python(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = words_of(name, arguments);
  const std::vector<char*> argv = pointers_to(words);
  execv(argv[0], argv.data());
  cannot_start(errno);
}

PythonOutput run_python(const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = words_of(name, arguments);
  const std::vector<char*> argv = pointers_to(words);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    cannot_start(error);
  }
  PythonOutput output;
  output.text = read_all(ends[0]);
  close(ends[0]);
  output.exit_code = wait_for(child);
  return output;
}

}  // namespace concord::conformance
