// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/command/command.h"
#include "conformance/output/results.h"
#include "conformance/run/backend_spec.h"

namespace concord::conformance {

void add_sandbox_allow(CLI::App& command, std::vector<std::string>& writable) {
  command
      .add_option("--sandbox-allow", writable,
                  "a file or folder that backends may write, such as a cache (repeatable)")
      ->check(CLI::ExistingPath);
}

void BackendOptions::add_to(CLI::App& command) {
  command
      .add_option("--backend", backends,
                  "NAME, NAME:CONFIG, PATH.so, PATH.so:CONFIG or exec:COMMAND (repeatable)")
      ->required();
  command.add_option("--class", arithmetic,
                     "judge by this arithmetic class instead of the declared one");
  command.add_flag("--lower", lower,
                   "if a backend declines a problem, judge it on the equivalent Convolution "
                   "if there is one");
  command.add_option("--threads", threads, "how many threads a backend may use")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--deadline", deadline_seconds, "deadline of each request, in seconds")
      ->check(seconds_between(0.001, 86400))
      ->capture_default_str();
  command
      .add_option("--max-work", max_work,
                  "do not judge a case that costs the reference more multiply-adds")
      ->check(CLI::Range(1.0, 1e300))
      ->capture_default_str();
  command
      .add_option("--memory-limit", memory_gib, "memory limit of each process of a backend, in GiB")
      ->check(CLI::Range(0.1, 1048576.0))
      ->capture_default_str();
  command
      .add_option(
          "--sandbox", sandbox,
          "auto confines backends as far as this system can, required ends with exit code 2 "
          "where it cannot do so fully, off does not confine them")
      ->check(CLI::IsMember({"auto", "required", "off"}))
      ->capture_default_str();
  add_sandbox_allow(command, sandbox_writable);
}

std::vector<BackendSpec> BackendOptions::specs(const Surroundings& surroundings) const {
  std::vector<BackendSpec> specs;
  for (const std::string& text : backends) {
    auto found = find_backend(text, plugin_directory(surroundings.executable));
    if (!found) throw UsageError(found.why().detail);
    for (const BackendSpec& earlier : specs) {
      if (earlier.text == found->text) {
        throw UsageError(fmt::format("--backend {}: given twice", found->text));
      }
    }
    specs.push_back(*std::move(found));
  }
  return specs;
}

ExamineOptions BackendOptions::examine_options() const {
  ExamineOptions options{.threads = threads, .max_work = max_work, .lower = lower};
  if (!arithmetic) return options;
  const auto parsed = parse_arithmetic(*arithmetic);
  if (!parsed) throw UsageError(fmt::format("--class {}: {}", *arithmetic, parsed.why().detail));
  options.arithmetic = *parsed;
  return options;
}

void BackendOptions::describe(RunDescription& description) const {
  description.arithmetic = arithmetic;
  description.lower = lower;
  description.threads = threads;
  const HostOptions host = host_options({});
  description.deadline = host.deadline;
  description.memory_limit = host.memory_limit;
  description.max_work = max_work;
  description.is_confined = sandbox != "off";
  description.sandbox_writable = sandbox_writable;
}

HostOptions BackendOptions::host_options(const Surroundings& surroundings) const {
  return {.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(deadline_seconds * 1000)),
          .worker_program = surroundings.executable.string(),
          .memory_limit = static_cast<std::size_t>(memory_gib * 0x1p30),
          .sandbox = {.mode = sandbox == "off" ? SandboxMode::kOff : SandboxMode::kAuto,
                      .writable = sandbox_writable,
                      .hidden = {default_vectors_folder()}}};
}

void BackendOptions::check_sandbox(const std::vector<BackendSpec>& specs,
                                   const HostOptions& options) const {
  if (sandbox != "required") return;
  for (const BackendSpec& spec : specs) {
    Host host(spec, options);
    const auto started = host.start();
    if (!started) continue;  // the run says why
    const Confinement& made = started->confinement;
    if (made.level == SandboxLevel::kNamespaces) continue;
    throw UsageError(fmt::format("--sandbox required: {} is confined by {} alone: {}", spec.text,
                                 concord::to_string(made.level), made.lack));
  }
}

}  // namespace concord::conformance
