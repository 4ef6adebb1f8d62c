// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/host_process.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "conformance/record/json_integer.h"
#include "conformance/worker/exec_messages.h"
#include "plugin_codec/problem_json.h"

namespace concord::conformance {
namespace {

constexpr std::string_view kCommandPrefix = "exec:";
// The version of what a program behind `exec:` is told and answers: docs/exec_protocol.md.
constexpr int kCommandProtocol = 1;
constexpr std::chrono::milliseconds kLongestPause{500};

// What is wrong with the workspace that prepare asks for; empty if it can have it.
std::string fault_of_workspace(std::size_t bytes, std::size_t alignment) {
  if ((alignment & (alignment - 1)) != 0) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) +
           ", which is not a power of two";
  }
  if (alignment > kLargestAlignment) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) + "; at most " +
           std::to_string(kLargestAlignment) + " is given";
  }
  if (bytes > kLargestWorkspace) {
    return "prepare asks for a workspace of " + std::to_string(bytes) + " bytes; at most " +
           std::to_string(kLargestWorkspace) + " are given";
  }
  return "";
}

// Asks and reads the answer by `read`. What becomes a WorkerFailure here: a call that let an
// exception out, a request that the worker could not serve, and an answer whose fields `read`
// complains of.
template <class Read>
std::optional<WorkerFailure> ask(Conversation& conversation, Stage stage, Json request, Read read) {
  auto answer = conversation.ask(stage, std::move(request));
  if (auto* failure = std::get_if<WorkerFailure>(&answer)) return std::move(*failure);
  const Json& message = std::get<Json>(answer);
  try {
    if (message.contains("thrown")) {
      return conversation.end(stage,
                              "an exception came out: " + message.at("thrown").get<std::string>());
    }
    if (message.contains("failure") && stage != Stage::kLoad) {
      return conversation.end(stage, message.at("failure").get<std::string>());
    }
    read(message);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();  // "[json.exception.type_error.302] type must ..."
    const std::size_t begin = what.find("] ");
    return conversation.refuse_answer(
        stage, std::string(what.substr(begin == std::string_view::npos ? 0 : begin + 2)));
  }
  return std::nullopt;
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
  const bool is_command = spec.text.starts_with(kCommandPrefix);
  auto begun = is_command ? Conversation::begin_command(spec.config, options)
                          : Conversation::begin_worker(options);
  if (const auto* error = std::get_if<StartError>(&begun)) {
    if (is_lack(error->error)) lack = error->error;
    return LoadFailure{concord::conformance::describe(*error), true};
  }
  auto process = std::make_unique<Process>(
      std::get<std::unique_ptr<Conversation>>(std::move(begun)), is_command);
  LoadFailure failure;
  if (auto lost = process->introduce(spec, options, failure)) {
    return process->lost_at_start(*std::move(lost), lack);
  }
  if (failure.ours) lack = lack_in(failure.detail);
  if (!failure.detail.empty()) return failure;
  return process;
}

// A process that ends before it comes to the backend's code has not been ended by that.
Host::Process::Started Host::Process::lost_at_start(WorkerFailure failure, int& lack) const {
  if (failure.stage != Stage::kLoad || failure.kind == WorkerFailure::Kind::kStopped) {
    return failure;
  }
  const int told = lack_in(failure.output);
  // A shell that cannot start the program says so and exits.
  const bool never_entered = is_command_ ? failure.kind == WorkerFailure::Kind::kExit && told != 0
                                         : !conversation_->arena().control().entered;
  if (!never_entered) return failure;
  lack = told;
  return LoadFailure{std::string(is_command_ ? "the command" : "the worker") +
                         " ended before it came to the backend, " +
                         concord::conformance::describe(failure) +
                         (told == 0 ? "" : ": " + explain_error(told)),
                     true};
}

// Loads and opens the plugin; `failure` is why it does not come up.
std::optional<WorkerFailure> Host::Process::introduce(const BackendSpec& spec,
                                                      const HostOptions& options,
                                                      LoadFailure& failure) {
  const Json load = is_command_ ? Json{{"protocol", kCommandProtocol}}
                                : Json{{"path", spec.path},
                                       {"arena", kWorkerArena},
                                       {"descriptor_limit", descriptor_limit_of_children()},
                                       {"memory_limit", options.memory_limit}};
  auto lost = ask(*conversation_, Stage::kLoad, load, [&](const Json& answer) {
    failure = {answer.value("failure", ""), !is_command_ && answer.value("ours", false)};
    if (!failure.detail.empty()) return;
    identity_ = {answer.at("name").get<std::string>(), answer.at("version").get<std::string>()};
  });
  if (lost || !failure.detail.empty()) return lost;
  const std::string config = is_command_ ? "" : spec.config;
  return ask(*conversation_, Stage::kOpen, {{"config", config}}, [&](const Json& answer) {
    const int status = status_of(answer);
    if (status == CONCORD_OK) return;
    failure.detail = "'" + (is_command_ ? spec.text : spec.path) +
                     "' does not open with the configuration '" + config + "': status " +
                     std::to_string(status) + ", " +
                     answer.value("reason", std::string("without a reason"));
  });
}

Json Host::Process::describe(const Problem& problem) const {
  return is_command_ ? problem_object(problem) : Json(print(problem));
}

std::variant<QueryReply, WorkerFailure> Host::Process::query(const Problem& problem) {
  QueryReply reply{};
  auto failure = ask(*conversation_, Stage::kQuery, {{"problem", describe(problem)}},
                     [&](const Json& answer) { reply = query_reply_from(answer); });
  if (failure) return std::move(*failure);
  return reply;
}

std::variant<PlanReply, WorkerFailure> Host::Process::describe_plan(const Problem& problem,
                                                                    int threads) {
  PlanReply reply;
  if (is_command_) return reply;
  auto failure =
      ask(*conversation_, Stage::kDescribe, {{"problem", describe(problem)}, {"threads", threads}},
          [&](const Json& answer) {
            reply = {status_of(answer), answer.value("text", "")};
          });
  if (failure) return std::move(*failure);
  return reply;
}

void Host::Process::put_inputs(const Trial& trial, Side side) {
  for (const Input input : kInputs) {
    const auto tensor = trial.of(input);
    conversation_->arena().put(slot_of(input), tensor, Poison::beside(input, trial.problem.dtype),
                               side);
    conversation_->note(slot_of(input), tensor_place(tensor.size(), side));
  }
}

void Host::Process::poison(Slot slot, const Place& place, const Poison& poison) {
  conversation_->arena().poison(slot, place, poison);
  conversation_->note(slot, place);
}

std::optional<WorkerFailure> Host::Process::prepare(const Trial& trial, int threads,
                                                    TrialReply& reply) {
  dst_ = tensor_place(bytes_of(trial.problem.dtype, *trial.problem.dst));
  workspace_ = {};
  workspace_alignment_ = 64;
  put_inputs(trial, Side::kEnd);
  conversation_->note(Slot::kDst, dst_);
  conversation_->note(Slot::kWorkspace, workspace_);
  reply.threads = threads;
  const Json request = {{"problem", describe(trial.problem)},
                        {"threads", threads},
                        {"constant_weights", trial.constant_weights}};
  return ask(*conversation_, Stage::kPrepare, request, [&](const Json& answer) {
    reply.prepare_status = status_of(answer);
    reply.reason = answer.value("reason", "");
    if (reply.prepare_status != CONCORD_OK || is_command_) return;
    const auto bytes = integer_from<std::size_t>(answer.at("workspace_bytes"), "workspace_bytes");
    const auto alignment =
        integer_from<std::size_t>(answer.at("workspace_alignment"), "workspace_alignment");
    const std::string fault = fault_of_workspace(bytes, alignment);
    if (fault.empty()) {
      workspace_alignment_ = alignment == 0 ? 64 : alignment;
      workspace_ = workspace_place(bytes, workspace_alignment_);
      return;
    }
    reply.prepare_status = CONCORD_FAULT;
    reply.reason = fault;
  });
}

// A worker cannot write its inputs; a program behind `exec:` maps the file as it likes.
std::size_t Host::Process::input_bytes_written(const Trial& trial) const {
  std::size_t written = 0;
  const auto compare = [&](Slot slot, std::span<const std::byte> tensor) {
    const auto now = conversation_->arena().bytes_of(slot, tensor_place(tensor.size(), dst_.side));
    for (std::size_t i = 0; i < tensor.size(); ++i) written += now[i] != tensor[i] ? 1u : 0u;
  };
  for (const Input input : kInputs) compare(slot_of(input), trial.of(input));
  return written;
}

std::optional<WorkerFailure> Host::Process::execute_once(const Trial& trial,
                                                         const ElementMask& mask, bool again,
                                                         TrialReply& reply, double& seconds) {
  const Poison in_dst = Poison::dst(trial.problem.dtype, again);
  const Poison in_workspace = Poison::workspace(trial.problem.dtype, again);
  poison(Slot::kDst, dst_, in_dst);
  poison(Slot::kWorkspace, workspace_, in_workspace);
  Json request = {{"at_beginning", dst_.side == Side::kBeginning}};
  if (is_command_) {
    request = {{"memory", memory_object(trial.problem, conversation_->arena(), dst_.side)}};
  }
  auto failure = ask(*conversation_, Stage::kExecute, request, [&](const Json& answer) {
    reply.execute_status = status_of(answer);
    reply.reason = answer.value("reason", "");
    seconds = answer.at("seconds").get<double>();
    reply.float_environment = answer.value("float_environment", "");
  });
  if (failure) return failure;
  const Arena& arena = conversation_->arena();
  const auto dst = arena.bytes_of(Slot::kDst, dst_);
  reply.bytes_written_outside +=
      mask.gap_bytes_written(dst, in_dst) + arena.bytes_written_around(Slot::kDst, dst_, in_dst) +
      arena.bytes_written_around(Slot::kWorkspace, workspace_, in_workspace);
  if (is_command_) reply.bytes_written_outside += input_bytes_written(trial);
  return std::nullopt;
}

void Host::Process::move_to(const Trial& trial, Side side) {
  for (const Slot slot : kSlots) conversation_->trim(slot);
  put_inputs(trial, side);
  dst_ = tensor_place(dst_.bytes, side);
  workspace_ = workspace_place(workspace_.bytes, workspace_alignment_, side);
}

std::optional<WorkerFailure> Host::Process::execute_all(const Trial& trial, TrialReply& reply) {
  const ElementMask mask(trial.problem.dtype, *trial.problem.dst);
  const auto dst = [&] { return conversation_->arena().bytes_of(Slot::kDst, dst_); };
  const auto take = [&](std::vector<std::byte>& taken) {
    taken.assign(dst().begin(), dst().end());
  };
  if (auto failure = execute_once(trial, mask, false, reply, reply.execute_seconds)) {
    return failure;
  }
  take(reply.dst);
  double ignored = 0;
  // Again at the other end of the slots: there the byte before a tensor cannot be touched, and the
  // alignment is another one.
  if (trial.executions > 1) move_to(trial, Side::kBeginning);
  for (int i = 1; i < trial.executions && reply.execute_status == CONCORD_OK; ++i) {
    auto failure = execute_once(trial, mask, true, reply, ignored);
    if (failure) return failure;
    if (reply.other_dst.empty() && !mask.same_elements(reply.dst, dst())) take(reply.other_dst);
  }
  if (trial.later_weights.empty() || reply.execute_status != CONCORD_OK) return std::nullopt;
  Trial later = trial;
  later.weights = trial.later_weights;
  later.bias = trial.later_bias;
  move_to(later, Side::kEnd);
  auto failure = execute_once(later, mask, false, reply, ignored);
  if (!failure) take(reply.later_dst);
  return failure;
}

std::optional<WorkerFailure> Host::Process::release() {
  auto failure = ask(*conversation_, Stage::kRelease, Json::object(), [](const Json&) {});
  if (!failure) {
    for (const Slot slot : kSlots) conversation_->trim(slot);
  }
  return failure;
}

std::optional<WorkerFailure> Host::Process::execute_on_other_threads(const Trial& trial,
                                                                     TrialReply& reply) {
  const ElementMask mask(trial.problem.dtype, *trial.problem.dst);
  double ignored = 0;
  auto failure = prepare(trial, trial.other_threads, reply);
  if (failure || reply.prepare_status != CONCORD_OK) return failure;
  failure = execute_once(trial, mask, false, reply, ignored);
  if (failure) return failure;
  const auto dst = conversation_->arena().bytes_of(Slot::kDst, dst_);
  if (reply.execute_status == CONCORD_OK && !mask.same_elements(reply.dst, dst)) {
    reply.other_threads_dst.assign(dst.begin(), dst.end());
  }
  return release();
}

std::variant<TrialReply, WorkerFailure> Host::Process::execute(const Trial& trial) {
  for (const std::size_t bytes :
       {trial.src.size(), trial.weights.size(), trial.bias.size(), trial.diff_dst.size(),
        bytes_of(trial.problem.dtype, *trial.problem.dst)}) {
    if (bytes <= kSlotBytes) continue;
    throw std::length_error("a tensor of " + std::to_string(bytes) + " bytes; at most " +
                            std::to_string(kSlotBytes) + " can be passed");
  }
  TrialReply reply;
  if (auto failure = prepare(trial, trial.threads, reply)) return std::move(*failure);
  if (reply.prepare_status != CONCORD_OK) return reply;
  if (auto failure = execute_all(trial, reply)) return std::move(*failure);
  if (auto failure = release()) return std::move(*failure);
  if (trial.other_threads == 0 || reply.execute_status != CONCORD_OK) return reply;
  if (auto failure = execute_on_other_threads(trial, reply)) {
    failure->detail += " (with threads=" + std::to_string(trial.other_threads) +
                       "; with threads=" + std::to_string(trial.threads) + " it had computed)";
    return std::move(*failure);
  }
  return reply;
}

std::optional<WorkerFailure> Host::Process::stop() {
  auto failure = ask(*conversation_, Stage::kClose, Json::object(), [](const Json&) {});
  return failure ? failure : conversation_->await_end();
}

}  // namespace concord::conformance
