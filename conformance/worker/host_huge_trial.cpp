// SPDX-License-Identifier: Apache-2.0
// A trial of huge tensors in the process. All slots are empty at its beginning and at its end, and
// only pages that hold an element are written.
#include <algorithm>
#include <string>

#include "conformance/worker/ask_worker.h"
#include "conformance/worker/host_process.h"
#include "conformance/worker/huge_trial.h"

namespace concord::conformance {
namespace {

// Whole pages of a slot that hold these parts of a tensor, which begins at `begin` of the slot.
std::vector<Range> pages_of(const std::vector<Range>& parts, std::size_t begin) {
  const std::size_t page = page_bytes();
  std::vector<Range> pages;
  for (const Range& part : parts) {
    const std::size_t first = (begin + part.begin) / page * page;
    const std::size_t stop = (begin + part.end() + page - 1) / page * page;
    if (pages.empty() || pages.back().end() < first) {
      pages.push_back({first, stop - first});
    } else {
      pages.back().size = std::max(pages.back().end(), stop) - pages.back().begin;
    }
  }
  return pages;
}

Range part_of(Extent place, std::size_t element_bytes) {
  return {static_cast<std::size_t>(place) * element_bytes, element_bytes};
}

std::vector<Range> parts_of_dst(const HugeTrial& trial, std::size_t bytes) {
  if (trial.dst_places.empty()) return {{0, bytes}};
  std::vector<Range> parts;
  parts.reserve(trial.dst_places.size());
  for (const Extent place : trial.dst_places) {
    parts.push_back(part_of(place, size_of(trial.problem.dtype)));
  }
  return parts;
}

/// A slot, and where in it a tensor begins.
struct Placed {
  std::span<std::byte> slot;
  std::size_t begin;

  Placed(const Arena& arena, Slot which, const Place& place)
      : slot(arena.bytes_of(which, tensor_place(arena.slot_bytes()))),
        begin(arena.slot_bytes() - place.room) {}

  std::span<std::byte> at(const Range& range) const {
    return slot.subspan(range.begin, range.size);
  }
  std::ptrdiff_t offset(const Range& range) const {
    return static_cast<std::ptrdiff_t>(range.begin) - static_cast<std::ptrdiff_t>(begin);
  }
};

/// Pages of a slot one after another, and what is in them.
struct Content {
  Range range;
  std::vector<std::byte> bytes;
};

// All that is in the slot of an input.
std::vector<Content> content_of(const HugeTrial& trial, Input input, const Placed& placed) {
  const Dtype dtype = trial.problem.dtype;
  const HugeInput& given = trial.of(input);
  std::vector<Range> parts;
  parts.reserve(given.elements.size());
  for (const PlacedValue& element : given.elements) {
    parts.push_back(part_of(element.place, size_of(dtype)));
  }
  std::vector<Content> content;
  auto element = given.elements.begin();
  for (const Range& range : pages_of(parts, placed.begin)) {
    Content pages{range, std::vector<std::byte>(range.size)};
    if (given.has_gaps) Poison::gaps(input, dtype).fill(pages.bytes, placed.offset(range));
    for (; element != given.elements.end(); ++element) {
      const std::size_t at = placed.begin + part_of(element->place, size_of(dtype)).begin;
      if (at >= range.end()) break;
      store(dtype, element->value, &pages.bytes[at - range.begin]);
    }
    content.push_back(std::move(pages));
  }
  return content;
}

// The number of bytes of those pages that are in none of the parts and no longer poison.
std::size_t written_between(const Placed& placed, const std::vector<Range>& pages,
                            const std::vector<Range>& parts, const Poison& poison) {
  std::size_t written = 0;
  auto part = parts.begin();
  for (const Range& page : pages) {
    std::size_t at = page.begin;
    const auto count_until = [&](std::size_t stop) {
      const Range gap{at, stop - at};
      written += poison.count_written(placed.at(gap), placed.offset(gap));
    };
    for (; part != parts.end() && placed.begin + part->begin < page.end(); ++part) {
      count_until(placed.begin + part->begin);
      at = placed.begin + part->end();
    }
    count_until(page.end());
  }
  return written;
}

}  // namespace

Json Host::Process::put_huge_inputs(const HugeTrial& trial, Side side) {
  const Problem& problem = trial.problem;
  const Arena& arena = conversation_->arena();
  for (const Slot slot : kSlots) arena.clear(slot);
  Json taken = Json::object();
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor == nullptr) continue;
    const Slot slot = slot_of(input);
    const Place place =
        tensor_place(bytes_of(problem.dtype, *tensor), side, size_of(problem.dtype));
    conversation_->note(slot, place);
    const Placed placed(arena, slot, place);
    Json ranges = Json::array();
    for (const Content& pages : content_of(trial, input, placed)) {
      ranges.push_back({pages.range.begin, pages.range.size});
      std::copy(pages.bytes.begin(), pages.bytes.end(), placed.at(pages.range).begin());
    }
    taken[std::string(to_string(slot))] = std::move(ranges);
  }
  return taken;
}

std::size_t Host::Process::huge_input_bytes_written(const HugeTrial& trial, Side side) const {
  const Arena& arena = conversation_->arena();
  std::size_t written = 0;
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(trial.problem, input);
    if (tensor == nullptr) continue;
    const Placed placed(
        arena, slot_of(input),
        tensor_place(bytes_of(trial.problem.dtype, *tensor), side, size_of(trial.problem.dtype)));
    std::vector<Range> ranges;
    for (const Content& pages : content_of(trial, input, placed)) {
      ranges.push_back(pages.range);
      const auto now = placed.at(pages.range);
      for (std::size_t i = 0; i < now.size(); ++i) written += now[i] != pages.bytes[i] ? 1U : 0U;
    }
    written += arena.bytes_set(slot_of(input), ranges);
  }
  return written;
}

std::optional<WorkerFailure> Host::Process::execute_huge(const HugeTrial& trial,
                                                         const Handle& handle, Side side,
                                                         Json taken, TrialReply& reply) {
  const bool again = side == Side::kBeginning;
  const Poison in_dst = Poison::dst(trial.problem.dtype, again);
  const Place workspace = aligned_place(handle.workspace_bytes, handle.workspace_alignment, side);
  const Arena& arena = conversation_->arena();
  const auto parts = parts_of_dst(trial, dst_.bytes);
  const Placed placed(arena, Slot::kDst, dst_);
  const auto pages = pages_of(parts, placed.begin);
  for (const Range& page : pages) in_dst.fill(placed.at(page), placed.offset(page));
  conversation_->note(Slot::kDst, dst_);
  auto failure = ask(
      {to_execute({{"at_beginning", again}, {"handle", handle.number}, {"taken", std::move(taken)}},
                  reply)},
      reply);
  if (failure) return failure;
  reply.bytes_written_outside +=
      written_between(placed, pages, parts, in_dst) + arena.bytes_set(Slot::kDst, pages) +
      arena.bytes_written_around(Slot::kWorkspace, workspace,
                                 Poison::workspace(trial.problem.dtype, again)) +
      huge_input_bytes_written(trial, side);
  if (reply.execute_status == CONCORD_OK) trial.look(dst());
  return std::nullopt;
}

Result<TrialReply, WorkerFailure> Host::Process::execute(const HugeTrial& trial) {
  placed_ = nullptr;
  conversation_->set_patience(kHugePatience);
  TrialReply reply;
  Handle handle;
  dst_ = tensor_place(bytes_of(trial.problem.dtype, *trial.problem.dst));
  Json taken = put_huge_inputs(trial, Side::kEnd);
  conversation_->note(Slot::kDst, dst_);
  reply.threads = trial.threads;
  auto failure = ask({to_prepare({{"problem", print(trial.problem)},
                                  {"threads", trial.threads},
                                  {"constant_weights", false},
                                  {"taken", taken}},
                                 handle, reply)},
                     reply);
  if (failure) return std::move(*failure);
  if (reply.prepare_status != CONCORD_OK) {
    conversation_->set_patience(1);
    return reply;
  }
  reply.workspace_bytes = handle.workspace_bytes;
  for (const Side side : {Side::kEnd, Side::kBeginning}) {
    dst_ = tensor_place(dst_.bytes, side, size_of(trial.problem.dtype));
    if (side == Side::kBeginning) taken = put_huge_inputs(trial, side);
    failure = execute_huge(trial, handle, side, taken, reply);
    if (failure) return std::move(*failure);
    if (reply.execute_status != CONCORD_OK) break;
  }
  failure = release(handle, true, reply);
  if (failure) return std::move(*failure);
  for (const Slot slot : kSlots) conversation_->arena().clear(slot);
  dst_ = tensor_place(0);
  conversation_->set_patience(1);
  return reply;
}

}  // namespace concord::conformance
