// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/command_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "conformance/worker/host.h"
#include "conformance/worker/limits.h"
#include "conformance/worker/messages.h"

namespace concord::conformance {
namespace {

// As shells do where there is no program.
constexpr int kNoProgram = 127;
// Shell scripts use the descriptors below 10 for their own purposes.
constexpr int kOutOfTheWay = 100;

// One byte at a time: what follows the line is for the program.
bool read_line() {
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) == 1) {
    if (byte == '\n') return true;
  }
  return false;
}

// The path of the shared memory for each process of the sandbox, as long as this one lives and
// keeps it open. /proc tells the number that this process has in it, which is another one than
// getpid() gives if the sandbox has no /proc of its own.
std::string path_of_arena() {
  int arena = fcntl(kCommandArena, F_DUPFD, kOutOfTheWay);
  if (arena < 0) arena = kCommandArena;
  if (arena != kCommandArena) close(kCommandArena);
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self", error);
  return "/proc/" + (error ? "self" : self.string()) + "/fd/" + std::to_string(arena);
}

}  // namespace

std::string limits_argument(std::size_t memory, std::size_t descriptors) {
  return Json{{"memory", memory}, {"descriptors", descriptors}}.dump();
}

int become_command(std::string_view sandbox, std::string_view limits, const char* command) {
  be_ended_first();
  const Confinement confinement = confine(sandbox_options_from(sandbox));
  if (!read_line()) return kNoProgram;
  Json started = to_message(confinement);
  started["memory"] = path_of_arena();
  const std::string line = to_line(started) + '\n';
  if (write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return kNoProgram;
  }
  const Json most = Json::parse(limits);
  limit_descriptors(most.at("descriptors").get<rlim_t>());
  limit_memory(most.at("memory").get<std::size_t>());
  execl("/bin/sh", "/bin/sh", "-c", command, nullptr);
  std::perror("/bin/sh");
  return kNoProgram;
}

}  // namespace concord::conformance
