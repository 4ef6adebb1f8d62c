// SPDX-License-Identifier: Apache-2.0
// A worker that does what a script says, for worker_fuzzer. The environment names the script; each
// request takes its next line, which begins with
//   !N  exits with code N             *N  sends itself signal N
//   ~   never answers                 -   closes the channel
//   @T  writes T over the control part of the shared memory, then answers
//   +T  answers, then says T          =   answers
// Any other line is the answer. Where the script ends, right answers follow.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace {

constexpr int kChannel = 3, kArena = 4;
constexpr std::size_t kControl = std::size_t{64} << 10;

void say(const std::string& line) {
  const std::string text = line + '\n';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = send(kChannel, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) std::_Exit(1);
    at += static_cast<std::size_t>(sent);
  }
}

std::string request() {
  std::string line;
  for (char byte = 0; recv(kChannel, &byte, 1, 0) == 1;) {
    if (byte == '\n') return line;
    line += byte;
  }
  std::_Exit(0);
}

// As the plugin of a problem with an output of 1x1x2 elements answers.
std::string right_answer(const std::string& asked) {
  const auto is = [&](const char* stage) {
    return asked.find("\"request\":\"" + std::string(stage) + "\"") != std::string::npos;
  };
  if (is("start")) return R"({"sandbox":2,"sandbox_lack":""})";
  if (is("load")) return R"({"name":"fuzzed","version":"1"})";
  if (is("query")) {
    return R"({"status":0,"reason":"","dst_dims":[1,1,2],"second":{"status":0,"dst_dims":[1,1,2]}})";
  }
  if (is("query of an unknown enumerator")) return R"({"status":1,"reason":""})";
  if (is("describe")) return R"({"status":0,"text":"a plan"})";
  if (is("prepare")) {
    return R"({"status":0,"reason":"","workspace_bytes":64,"workspace_alignment":64})";
  }
  if (is("execute")) return R"({"status":0,"reason":"","seconds":0.5,"float_environment":""})";
  if (is("release")) return R"({"process_state":""})";
  return R"({"status":0,"reason":""})";
}

void overwrite_control(const std::string& text) {
  void* const control = mmap(nullptr, kControl, PROT_READ | PROT_WRITE, MAP_SHARED, kArena, 0);
  if (control != MAP_FAILED) std::memcpy(control, text.data(), std::min(text.size(), kControl));
}

void act(const std::string& line, const std::string& answer) {
  const std::string rest = line.substr(std::min<std::size_t>(1, line.size()));
  switch (line.empty() ? '=' : line[0]) {
    case '!':
      std::_Exit(std::atoi(rest.c_str()));
    case '*':
      raise(std::atoi(rest.c_str()) % 65);
      break;
    case '~':
      pause();
      break;
    case '-':
      close(kChannel);
      break;
    case '@':
      overwrite_control(rest);
      break;
    case '+':
      say(answer);
      say(rest);
      return;
    case '=':
      break;
    default:
      say(line);
      return;
  }
  say(answer);
}

}  // namespace

int main() {
  const char* const name = std::getenv("CONCORD_FUZZ_SCRIPT");
  std::ifstream script(name == nullptr ? "/dev/null" : name);
  while (true) {
    const std::string asked = request(), answer = right_answer(asked);
    std::string line;
    if (!std::getline(script, line)) line = "=";
    act(line, answer);
    if (asked.find("\"request\":\"close\"") != std::string::npos) return 0;
  }
}
