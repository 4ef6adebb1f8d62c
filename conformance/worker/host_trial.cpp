// SPDX-License-Identifier: Apache-2.0
// One trial in the process: what goes into the shared memory, what is asked, and what is found
// there afterwards.
#include <cstring>
#include <stdexcept>

#include "conformance/record/json_integer.h"
#include "conformance/worker/ask_worker.h"
#include "conformance/worker/exec_messages.h"
#include "conformance/worker/host_process.h"

namespace concord::conformance {
namespace {

// The first change counts: the process is put back when one is found.
void note_process_state(const Json& answer, TrialReply& reply) {
  if (reply.process_state.empty()) reply.process_state = answer.value("process_state", "");
}

bool is_well(const TrialReply& reply) {
  return reply.prepare_status == CONCORD_OK && reply.execute_status == CONCORD_OK;
}

// True if more is asked of the process when all of use_handles() is released, if all is well then.
bool may_go_on(const Trial& trial) { return trial.many_rounds || trial.other_threads != 0; }
bool goes_on(const Trial& trial, const TrialReply& reply) {
  return is_well(reply) && may_go_on(trial);
}

}  // namespace

void Host::Process::put_inputs(const Trial& trial, Side side) {
  for (const Input input : kInputs) {
    const auto tensor = trial.of(input);
    const Dtype dtype = trial.problem.dtype;
    const Place place = tensor_place(tensor.size(), side, size_of(dtype));
    conversation_->arena().put(slot_of(input), tensor, Poison::beside(input, dtype), place);
    conversation_->note(slot_of(input), place);
  }
}

std::span<const std::byte> Host::Process::dst() const {
  return conversation_->arena().bytes_of(Slot::kDst, dst_);
}

// Lets the next call find the inputs at that side of their pages.
void Host::Process::place(const Trial& trial, Side side) {
  if (placed_ == &trial && side_ == side) return;
  put_inputs(trial, side);
  dst_ = tensor_place(dst_.bytes, side, size_of(trial.problem.dtype));
  side_ = side;
  placed_ = &trial;
}

Question Host::Process::to_prepare(Json request, Handle& handle, TrialReply& reply) const {
  if (!is_command_) add(request, "handle", handle.number);
  return {Stage::kPrepare, std::move(request), [&](const Json& answer) {
            reply.prepare_status = status_of(answer);
            reply.reason = answer.value("reason", "");
            note_process_state(answer, reply);
            handle.is_prepared = reply.prepare_status == CONCORD_OK;
            if (!handle.is_prepared || is_command_) return;
            handle.workspace_bytes =
                integer_from<std::size_t>(answer.at("workspace_bytes"), "workspace_bytes");
            handle.workspace_alignment =
                integer_from<std::size_t>(answer.at("workspace_alignment"), "workspace_alignment");
            // The worker has seen to that, if it still is what it was.
            auto fault = fault_of_workspace(handle.workspace_bytes, handle.workspace_alignment);
            if (!fault) return;
            reply.prepare_status = CONCORD_FAULT;
            reply.reason = *std::move(fault);
          }};
}

// A plugin's mapping of its inputs is read-only, but it may map the file as it likes.
std::size_t Host::Process::input_bytes_written(const Trial& trial) const {
  std::size_t written = 0;
  const auto compare = [&](Slot slot, std::span<const std::byte> tensor) {
    const Place place = tensor_place(tensor.size(), side_, size_of(trial.problem.dtype));
    const auto now = conversation_->arena().bytes_of(slot, place);
    if (tensor.empty() || std::memcmp(tensor.data(), now.data(), now.size()) == 0) return;
    for (std::size_t i = 0; i < tensor.size(); ++i) written += now[i] != tensor[i] ? 1u : 0u;
  };
  for (const Input input : kInputs) compare(slot_of(input), trial.of(input));
  return written;
}

Question Host::Process::to_execute(Json request, TrialReply& reply) {
  return {Stage::kExecute, std::move(request), [&](const Json& answer) {
            if (reply.prepare_status != CONCORD_OK) return;
            reply.execute_status = status_of(answer);
            reply.reason = answer.value("reason", "");
            if (reply.execute_seconds == 0) {
              reply.execute_seconds = answer.at("seconds").get<double>();
            }
            reply.float_environment = answer.value("float_environment", "");
          }};
}

Question Host::Process::to_release(Handle& handle, bool is_last, TrialReply& reply) const {
  Json request = Json::object();
  if (!is_command_) {
    add(request, "handle", handle.number);
    add(request, "is_last", is_last);
  }
  return {Stage::kRelease, std::move(request), [&](const Json& answer) {
            handle.is_prepared = false;
            note_process_state(answer, reply);
          }};
}

std::optional<WorkerFailure> Host::Process::ask(std::vector<Question> questions,
                                                const TrialReply& reply) {
  if (!is_command_) return ask_worker(*conversation_, std::move(questions));
  for (Question& question : questions) {
    if (auto failure = ask_worker(*conversation_, std::move(question))) return failure;
    if (reply.prepare_status != CONCORD_OK) break;
  }
  return std::nullopt;
}

std::optional<WorkerFailure> Host::Process::execute_once(const Trial& trial, Handle& handle,
                                                         Side side, const SentWith& with,
                                                         TrialReply& reply) {
  dst_.bytes = bytes_of(trial.problem.dtype, *trial.problem.dst);
  place(trial, side);
  const bool again = side == Side::kBeginning;
  const Arena& arena = conversation_->arena();
  const Poison in_dst = Poison::dst(trial.problem.dtype, again);
  arena.poison(Slot::kDst, dst_, in_dst);
  conversation_->note(Slot::kDst, dst_);

  std::vector<Question> questions;
  if (with.threads != 0) {
    reply.threads = with.threads;
    questions.push_back(to_prepare({{"problem", describe(trial.problem)},
                                    {"threads", with.threads},
                                    {"constant_weights", trial.constant_weights}},
                                   handle, reply));
  }
  Json request = Json::object();
  if (is_command_) {
    request["memory"] = memory_object(trial.problem, arena, memory_path_, side);
  } else {
    add(request, "at_beginning", again);
    add(request, "handle", handle.number);
    add(request, "on_another_thread", trial.on_another_thread && again);
  }
  questions.push_back(to_execute(std::move(request), reply));
  if (with.releases) {
    questions.push_back(to_release(handle, with.is_last_release, reply));
  }
  auto failure = ask(std::move(questions), reply);
  if (failure || reply.prepare_status != CONCORD_OK) return failure;

  const Place workspace = aligned_place(handle.workspace_bytes, handle.workspace_alignment, side);
  conversation_->note(Slot::kWorkspace, workspace);
  reply.bytes_written_outside +=
      mask_->gap_bytes_written(dst(), in_dst) +
      arena.bytes_written_around(Slot::kDst, dst_, in_dst) +
      arena.bytes_written_around(Slot::kWorkspace, workspace,
                                 Poison::workspace(trial.problem.dtype, again)) +
      input_bytes_written(trial);
  return std::nullopt;
}

std::optional<WorkerFailure> Host::Process::execute_later(const Trial& trial, Handle& first,
                                                          Handle& second, TrialReply& reply) {
  const bool is_second = trial.sequence == Sequence::kSecondHandle;
  if (is_second) second.number = 1;
  reply.of_second_handle = is_second;
  auto failure = execute_once(*trial.later, is_second ? second : first, Side::kEnd,
                              {.threads = is_second ? trial.threads : 0}, reply);
  if (failure || !is_well(reply)) return failure;
  reply.later_dst.assign(dst().begin(), dst().end());
  reply.of_second_handle = false;
  return std::nullopt;
}

std::optional<WorkerFailure> Host::Process::execute_all(const Trial& trial, Handle& first,
                                                        Handle& second, TrialReply& reply) {
  const bool has_second = trial.sequence == Sequence::kSecondHandle && !is_command_;
  const bool has_later = trial.sequence == Sequence::kOtherInputs || has_second;
  // The release is not sent with it: dst is looked at while a backend that has returned too early
  // still writes. So it is where another thread calls, and with other threads.
  auto failure = execute_once(trial, first, Side::kEnd, {.threads = trial.threads}, reply);
  if (failure || reply.prepare_status != CONCORD_OK) return failure;
  reply.workspace_bytes = first.workspace_bytes;
  reply.dst.assign(dst().begin(), dst().end());
  if (is_well(reply) && has_later) {
    if ((failure = execute_later(trial, first, second, reply))) return failure;
  }
  for (int i = 1; i < trial.executions && is_well(reply); ++i) {
    // At the other end of the pages the byte before a tensor cannot be touched, or the alignment is
    // another one (tensor_place()).
    const Side side = i % 2 == 1 ? Side::kBeginning : Side::kEnd;
    const SentWith with{.releases = i + 1 == trial.executions && !trial.on_another_thread,
                        .is_last_release = !has_second && !may_go_on(trial)};
    failure = execute_once(trial, first, side, with, reply);
    if (failure) return failure;
    if (reply.other_dst.empty() && !mask_->same_elements(reply.dst, dst())) {
      reply.other_dst.assign(dst().begin(), dst().end());
    }
  }
  return std::nullopt;
}

std::optional<WorkerFailure> Host::Process::execute_after_release(const Trial& trial,
                                                                  Handle& second,
                                                                  TrialReply& reply) {
  if (!is_well(reply)) return release(second, true, reply);
  reply.of_second_handle = true;
  if (auto failure = execute_once(*trial.later, second, Side::kBeginning, {}, reply)) {
    return failure;
  }
  if (reply.execute_status == CONCORD_OK && !mask_->same_elements(reply.later_dst, dst())) {
    reply.other_later_dst.assign(dst().begin(), dst().end());
  }
  return release(second, !goes_on(trial, reply), reply);
}

std::optional<WorkerFailure> Host::Process::release(Handle& handle, bool is_last,
                                                    TrialReply& reply) {
  auto failure = ask_worker(*conversation_, to_release(handle, is_last, reply));
  if (!failure) forget_tensors();
  return failure;
}

void Host::Process::forget_tensors() {
  for (const Slot slot : kSlots) conversation_->trim(slot);
  placed_ = nullptr;
}

std::optional<WorkerFailure> Host::Process::execute_on_other_threads(const Trial& trial,
                                                                     TrialReply& reply) {
  Handle handle;
  auto failure = execute_once(trial, handle, Side::kEnd, {.threads = trial.other_threads}, reply);
  if (failure || reply.prepare_status != CONCORD_OK) return failure;
  // Before the release, which may wait for threads that are still writing.
  if (is_well(reply) && !mask_->same_elements(reply.dst, dst())) {
    reply.other_threads_dst.assign(dst().begin(), dst().end());
  }
  return release(handle, true, reply);
}

// All but what other threads compute.
std::optional<WorkerFailure> Host::Process::use_handles(const Trial& trial, TrialReply& reply) {
  Handle first, second;
  auto failure = execute_all(trial, first, second, reply);
  if (failure) return failure;
  if (first.is_prepared) {
    failure = release(first, !second.is_prepared && !goes_on(trial, reply), reply);
  } else {
    forget_tensors();
  }
  if (failure || !second.is_prepared) return failure;
  failure = execute_after_release(trial, second, reply);
  if (failure) failure->detail += " (of a second handle of the problem, after the first's release)";
  return failure;
}

std::optional<WorkerFailure> Host::Process::repeat(const Trial& trial, TrialReply& reply) {
  place(trial, Side::kEnd);
  conversation_->arena().poison(Slot::kDst, dst_, Poison::dst(trial.problem.dtype, false));
  conversation_->note(Slot::kDst, dst_);
  Json request = {{"problem", describe(trial.problem)},
                  {"threads", trial.threads},
                  {"constant_weights", trial.constant_weights}};
  auto failure = ask_worker(
      *conversation_,
      {Stage::kRepeat, std::move(request), [&](const Json& answer) {
         reply.execute_status = status_of(answer);
         reply.growth = answer.value("growth", "");
         note_process_state(answer, reply);
         const std::string reason = answer.value("reason", "");
         if (reply.execute_status == CONCORD_OK) return;
         reply.reason = "when the problem was prepared, executed and released again: " + reason;
       }});
  if (failure || reply.execute_status != CONCORD_OK) return failure;
  if (!mask_->same_elements(reply.dst, dst())) {
    reply.last_round_dst.assign(dst().begin(), dst().end());
  }
  forget_tensors();
  return std::nullopt;
}

Result<TrialReply, WorkerFailure> Host::Process::execute(const Trial& trial) {
  for (const std::size_t bytes :
       {trial.src.size(), trial.weights.size(), trial.bias.size(), trial.diff_dst.size(),
        bytes_of(trial.problem.dtype, *trial.problem.dst)}) {
    if (bytes <= kLargestTensor) continue;
    throw std::length_error("a tensor of " + std::to_string(bytes) + " bytes; at most " +
                            std::to_string(kLargestTensor) + " can be passed");
  }
  mask_.emplace(trial.problem.dtype, *trial.problem.dst);
  dst_ = tensor_place(0);
  placed_ = nullptr;
  TrialReply reply;
  if (auto failure = use_handles(trial, reply)) return std::move(*failure);
  if (trial.many_rounds && !is_command_ && is_well(reply)) {
    if (auto failure = repeat(trial, reply)) return std::move(*failure);
  }
  if (trial.other_threads == 0 || !is_well(reply)) return reply;
  if (auto failure = execute_on_other_threads(trial, reply)) {
    failure->detail += " (with threads=" + std::to_string(trial.other_threads) +
                       "; with threads=" + std::to_string(trial.threads) + " it had computed)";
    return std::move(*failure);
  }
  return reply;
}

}  // namespace concord::conformance
