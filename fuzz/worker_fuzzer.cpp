// SPDX-License-Identifier: Apache-2.0
// A worker that says and does anything (fuzzed_worker.cpp) in a whole conversation with its host:
// whatever it does comes back as a value, in time, and in text that is safe to print.
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "conformance/worker/host.h"
#include "conformance/worker/visible.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

using conformance::Host;
using conformance::HostFailure;
using conformance::Trial;

constexpr std::chrono::milliseconds kDeadline{200};

/// The file from which workers read what to do.
class Script {
 public:
  Script() : file_(memfd_create("script", 0)) {
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
    CONCORD_CHECK(file_ >= 0 && setenv("CONCORD_FUZZ_SCRIPT", path.c_str(), 1) == 0) << path;
  }
  void write(const std::uint8_t* data, std::size_t size) const {
    const bool written =
        ftruncate(file_, 0) == 0 && pwrite(file_, data, size, 0) == static_cast<ssize_t>(size);
    CONCORD_CHECK(written) << size << " bytes of a script";
  }

 private:
  int file_;
};

void check_text(const std::string& text) {
  CONCORD_CHECK(conformance::visible(text, conformance::Newlines::kKept) == text) << text;
}

// The text of a failure is that of a description; what a process printed is printed there alone.
template <class Reply>
bool answered(const Result<Reply, HostFailure>& answer) {
  if (!answer) check_text(describe(answer.why()));
  return static_cast<bool>(answer);
}

void talk(Host& host) {
  static const Problem problem = *parse(
      "Convolution f32 src=1x1x2 weights=1x1x1 dst=1x1x2 data_format=NCX weights_format=OIX");
  static const std::vector<std::byte> src(8), weights(4);
  const auto started = host.start();
  if (answered(started)) {
    check_text(started->name);
    check_text(started->version);
  }
  const auto queried = host.query(problem);
  if (answered(queried)) check_text(queried->reason);
  const auto twice = host.query_twice(problem);
  if (answered(twice)) check_text(twice->second.reason);
  const auto unknown = host.query_unknown(problem, {"auto_pad", 1000});
  if (answered(unknown)) check_text(unknown->reason);
  const auto described = host.describe_plan(problem, 1);
  if (answered(described)) check_text(described->text);
  const auto tried = host.execute(
      {.problem = problem, .src = src, .weights = weights, .bias = {}, .executions = 2});
  if (answered(tried)) check_text(tried->reason);
  if (const auto failure = host.stop()) check_text(describe(*failure));
}

void check_script(const std::uint8_t* data, std::size_t size) {
  static const Script script;
  script.write(data, size);
  const auto begin = std::chrono::steady_clock::now();
  Host host({.text = "fuzzed", .path = "/fuzzed.so"},
            {.deadline = kDeadline,
             .worker_program = FUZZED_WORKER,
             .start_patience = std::chrono::milliseconds(0),
             .sandbox = {.mode = conformance::SandboxMode::kOff}});
  talk(host);
  // Each request has its deadline, and each of the starts some.
  CONCORD_CHECK(std::chrono::steady_clock::now() - begin < 100 * kDeadline) << size;
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_script(data, size);
  return 0;
}
