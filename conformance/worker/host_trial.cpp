// SPDX-License-Identifier: Apache-2.0
// One trial in the process: what goes into the shared memory, what is asked, and what is found
// there afterwards.
#include <stdexcept>

#include "conformance/record/json_integer.h"
#include "conformance/worker/ask_worker.h"
#include "conformance/worker/exec_messages.h"
#include "conformance/worker/host_process.h"

namespace concord::conformance {
namespace {

// What is wrong with the workspace that prepare asks for, if anything is.
std::optional<std::string> fault_of_workspace(std::size_t bytes, std::size_t alignment) {
  if ((alignment & (alignment - 1)) != 0) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) +
           ", which is not a power of two";
  }
  if (alignment > kLargestAlignment) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) + "; at most " +
           std::to_string(kLargestAlignment) + " is supported";
  }
  if (bytes > kLargestWorkspace) {
    return "prepare asks for a workspace of " + std::to_string(bytes) + " bytes; at most " +
           std::to_string(kLargestWorkspace) + " are supported";
  }
  return std::nullopt;
}

}  // namespace

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
  return ask_worker(*conversation_, Stage::kPrepare, request, [&](const Json& answer) {
    reply.prepare_status = status_of(answer);
    reply.reason = answer.value("reason", "");
    if (reply.prepare_status != CONCORD_OK || is_command_) return;
    const auto bytes = integer_from<std::size_t>(answer.at("workspace_bytes"), "workspace_bytes");
    const auto alignment =
        integer_from<std::size_t>(answer.at("workspace_alignment"), "workspace_alignment");
    if (auto fault = fault_of_workspace(bytes, alignment)) {
      reply.prepare_status = CONCORD_FAULT;
      reply.reason = *std::move(fault);
      return;
    }
    workspace_alignment_ = alignment == 0 ? 64 : alignment;
    workspace_ = workspace_place(bytes, workspace_alignment_);
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
  auto failure = ask_worker(*conversation_, Stage::kExecute, request, [&](const Json& answer) {
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
  auto failure = ask_worker(*conversation_, Stage::kRelease, Json::object(), [](const Json&) {});
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

Result<TrialReply, WorkerFailure> Host::Process::execute(const Trial& trial) {
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

}  // namespace concord::conformance
