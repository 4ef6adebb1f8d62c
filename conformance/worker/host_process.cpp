// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/host_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "conformance/record/case_result.h"
#include "conformance/worker/ask_worker.h"
#include "conformance/worker/exec_messages.h"
#include "plugin_codec/problem_json.h"

namespace concord::conformance {
namespace {

// The version of what a program behind `exec:` is told and answers: docs/exec_protocol.md.
constexpr int kCommandProtocol = 1;
constexpr std::chrono::milliseconds kLongestPause{500};

// What the processes of a sandbox may use together beyond the limit of one: pages of tensors that
// they share with the host, and files in their private folders.
constexpr std::uint64_t kSharedMemory = std::uint64_t{8} << 30;

// The plugin and the program that loads it, or the files that a command names, are to be seen in
// the sandbox, and what the working folder holds.
HostOptions with_sandbox_for(const BackendSpec& spec, HostOptions options) {
  std::error_code error;
  if (options.sandbox.together.memory == 0) {
    options.sandbox.together.memory = options.memory_limit + kSharedMemory;
  }
  auto& visible = options.sandbox.visible;
  visible.insert(visible.end(), {spec.path, options.worker_program,
                                 std::filesystem::current_path(error).string()});
  visible.insert(visible.end(), spec.files.begin(), spec.files.end());
  return options;
}

}  // namespace

Host::Process::Started Host::Process::start(const BackendSpec& spec, const HostOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + options.start_patience;
  for (std::chrono::milliseconds pause{20};; pause = std::min(2 * pause, kLongestPause)) {
    int lack = 0;
    auto started = start_once(spec, options, lack);
    const bool stopped = options.stop != nullptr && *options.stop;
    if (lack == 0 || stopped || Clock::now() >= end) return started;
    std::this_thread::sleep_for(pause);
  }
}

Host::Process::Started Host::Process::start_once(const BackendSpec& spec,
                                                 const HostOptions& options, int& lack) {
  const bool is_command = spec.is_command();
  const HostOptions seen = with_sandbox_for(spec, options);
  auto begun = is_command ? Conversation::begin_command(spec.config, seen)
                          : Conversation::begin_worker(seen);
  if (!begun) {
    const StartError& error = begun.why();
    if (is_lack(error.error)) lack = error.error;
    return HostFailure(LoadFailure{concord::conformance::describe(error), true});
  }
  auto process = std::make_unique<Process>(*std::move(begun), is_command);
  if (auto failure = process->prepare_process(options, lack)) return *std::move(failure);
  if (auto failure = process->load(spec, lack)) return *std::move(failure);
  if (auto failure = process->open(spec)) return *std::move(failure);
  return process;
}

// A process that ends before it comes to the backend's code has not been ended by that.
HostFailure Host::Process::lost_at_start(WorkerFailure failure, int& lack) const {
  if (failure.kind == WorkerFailure::Kind::kStopped) return failure;
  const int told = lack_in(failure.output);
  // A shell that cannot start the program says so and exits.
  const bool is_shells = is_command_ && failure.stage == Stage::kLoad &&
                         failure.kind == WorkerFailure::Kind::kExit && told != 0;
  if (failure.stage != Stage::kStart && !is_shells) return failure;
  // Who kills one process may let the next one live.
  lack = told == 0 && may_come_from_outside(failure.signal) ? EINTR : told;
  return LoadFailure{std::string(is_command_ ? "the command" : "the worker") +
                         " ended before it reached the backend, " +
                         concord::conformance::describe(failure) +
                         (told == 0 ? "" : ": " + explain_error(told)),
                     true};
}

// Asks how the process is confined, and lets it take what it needs of this machine, as long as
// nothing but our own code can answer.
std::optional<HostFailure> Host::Process::prepare_process(const HostOptions& options, int& lack) {
  std::optional<LoadFailure> refused;
  const Json request = is_command_ ? Json::object()
                                   : Json{{"arena", kWorkerArena},
                                          {"descriptor_limit", descriptor_limit_of_children()},
                                          {"memory_limit", options.memory_limit}};
  auto lost =
      ask_worker(*conversation_, {Stage::kStart, request, [&](const Json& answer) {
                                    if (const std::string detail = answer.value("failure", "");
                                        !detail.empty()) {
                                      refused = {detail, true};
                                      return;
                                    }
                                    identity_.confinement = confinement_from(answer);
                                    memory_path_ = answer.value("memory", "");
                                  }});
  if (lost) return lost_at_start(*std::move(lost), lack);
  if (refused) lack = lack_in(refused->detail);
  return refused;
}

// The dynamic loader's own lack is not the plugin's fault; but a plugin whose code is there could
// say so, too.
bool Host::Process::has_code_of(const BackendSpec& spec) const {
  std::error_code error;
  const auto path = std::filesystem::canonical(spec.path, error);
  return mapped_files().contains(path.string());
}

std::optional<HostFailure> Host::Process::load(const BackendSpec& spec, int& lack) {
  std::optional<LoadFailure> refused;
  const Json request =
      is_command_ ? Json{{"protocol", kCommandProtocol}} : Json{{"path", spec.path}};
  auto lost = ask_worker(
      *conversation_,
      {Stage::kLoad, request, [&](const Json& answer) {
         if (const std::string detail = answer.value("failure", ""); !detail.empty()) {
           const bool ours = !is_command_ && answer.value("ours", false) && !has_code_of(spec);
           refused = {detail, ours};
           return;
         }
         identity_.name = answer.at("name").get<std::string>();
         identity_.version = answer.at("version").get<std::string>();
         wants_strings_ = is_command_ && answer.value("long_integers", "numbers") == "strings";
       }});
  if (lost) return lost_at_start(*std::move(lost), lack);
  if (refused && refused->ours) lack = lack_in(refused->detail);
  return refused;
}

std::optional<HostFailure> Host::Process::open(const BackendSpec& spec) {
  std::optional<LoadFailure> refused;
  const std::string config = is_command_ ? "" : spec.config;
  auto lost = ask_worker(*conversation_,
                         {Stage::kOpen, {{"config", config}}, [&](const Json& answer) {
                            const int status = status_of(answer);
                            if (status == CONCORD_OK) return;
                            refused = {"'" + (is_command_ ? spec.text : spec.path) +
                                       "' does not open with the configuration '" + config +
                                       "': status " + std::to_string(status) + ", " +
                                       answer.value("reason", std::string("without a reason"))};
                            refused->breaks_abi = answer.value("breaks_abi", false);
                          }});
  if (lost) return *std::move(lost);
  return refused;
}

Json Host::Process::describe(const Problem& problem) const {
  if (!is_command_) return print(problem);
  Json object = problem_object(problem);
  if (wants_strings_) write_long_integers_as_strings(object);
  return object;
}

Result<QueryReply, WorkerFailure> Host::Process::query(const Problem& problem) {
  QueryReply reply{};
  auto failure = ask_worker(
      *conversation_, {Stage::kQuery, {{"problem", describe(problem)}}, [&](const Json& answer) {
                         reply = query_reply_from(answer);
                       }});
  if (failure) return std::move(*failure);
  return reply;
}

Result<TwoReplies, WorkerFailure> Host::Process::query_twice(const Problem& problem) {
  if (is_command_) {
    auto first = query(problem);
    if (!first) return std::move(first).why();
    auto second = query(problem);
    if (!second) return std::move(second).why();
    return TwoReplies{*std::move(first), *std::move(second)};
  }
  TwoReplies replies{};
  auto failure = ask_worker(
      *conversation_,
      {Stage::kQuery, {{"problem", describe(problem)}, {"twice", true}}, [&](const Json& answer) {
         const Json& second = answer.at("second");
         replies = {query_reply_from(answer),
                    query_reply_from(second == kTheSame ? answer : second)};
       }});
  if (failure) return std::move(*failure);
  return replies;
}

Result<UnknownReply, WorkerFailure> Host::Process::query_unknown(const Problem& problem,
                                                                 const UnknownNumber& unknown) {
  UnknownReply reply;
  auto failure = ask_worker(
      *conversation_,
      {Stage::kUnknown,
       {{"problem", describe(problem)}, {"name", unknown.name}, {"number", unknown.number}},
       [&](const Json& answer) {
         reply = {status_of(answer), answer.value("reason", "")};
       }});
  if (failure) return std::move(*failure);
  return reply;
}

Result<PlanReply, WorkerFailure> Host::Process::describe_plan(const Problem& problem, int threads) {
  PlanReply reply;
  if (is_command_) return reply;
  auto failure =
      ask_worker(*conversation_, {Stage::kDescribe,
                                  {{"problem", describe(problem)}, {"threads", threads}},
                                  [&](const Json& answer) {
                                    reply = {status_of(answer), answer.value("text", "")};
                                  }});
  if (failure) return std::move(*failure);
  return reply;
}

std::optional<WorkerFailure> Host::Process::stop() {
  auto failure = ask_worker(*conversation_, {Stage::kClose, Json::object(), [](const Json&) {}});
  return failure ? failure : conversation_->await_end();
}

}  // namespace concord::conformance
