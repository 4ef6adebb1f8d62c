// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/arguments.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "conformance/worker/arena.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr std::array<std::string_view, kArgumentCount> kNames = {"the configuration",
                                                                 "reason",
                                                                 "the problem",
                                                                 "the problem's inputs",
                                                                 "the problem's outputs",
                                                                 "the problem's attributes",
                                                                 "the answer",
                                                                 "the options of prepare",
                                                                 "what prepare fills in",
                                                                 "the execution",
                                                                 "the execution's inputs",
                                                                 "the execution's outputs"};

// Neither a zero nor a character.
constexpr unsigned char kGarbage = 0x8D;

// An inaccessible page comes before each argument's, and one after the last.
std::size_t mapped_bytes() { return (2 * kArgumentCount + 1) * page_bytes(); }

bool is_untouched(const char* text) {
  return std::all_of(text, text + CONCORD_TEXT,
                     [](char c) { return static_cast<unsigned char>(c) == kGarbage; });
}

}  // namespace

std::optional<std::string> locate_argument(std::uintptr_t address, std::uintptr_t base) {
  if (address < base + page_bytes() || address >= base + mapped_bytes()) return std::nullopt;
  const std::size_t page = (address - base) / page_bytes();
  if (page % 2 == 1) return std::nullopt;
  const std::size_t beyond = (address - base) % page_bytes();
  const std::string name(kNames.at(page / 2 - 1));
  return beyond == 0 ? "directly after the end of " + name
                     : std::to_string(beyond) + " bytes after the end of " + name;
}

Result<Arguments, StartError> Arguments::map() {
  Arguments arguments;
  void* base = mmap(nullptr, mapped_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return StartError{"the worker cannot map memory", errno};
  arguments.base_ = static_cast<std::byte*>(base);
  for (std::size_t i = 0; i < kArgumentCount; ++i) {
    const auto page = arguments.last_bytes(i, page_bytes());
    if (mprotect(page.data(), page.size(), PROT_READ | PROT_WRITE) != 0) {
      return StartError{"the worker cannot map memory", errno};
    }
  }
  return arguments;
}

std::span<std::byte> Arguments::last_bytes(std::size_t argument, std::size_t bytes) const {
  return {base_ + (2 * argument + 2) * page_bytes() - bytes, bytes};
}

void* Arguments::copy(Argument argument, const void* from, std::size_t bytes) {
  const auto index = static_cast<std::size_t>(argument);
  CONCORD_CHECK(bytes <= page_bytes()) << kNames.at(index);
  const auto to = last_bytes(index, bytes);
  if (bytes != 0) std::memcpy(to.data(), from, bytes);
  sizes_.at(index) = bytes;
  return to.data();
}

void Arguments::forget() {
  for (std::size_t i = 0; i < kArgumentCount; ++i) {
    if (sizes_.at(i) == 0) continue;
    std::ranges::fill(last_bytes(i, sizes_.at(i)), std::byte{kGarbage});
    sizes_.at(i) = 0;
  }
}

concord_problem* Arguments::put(const concord_problem& problem) {
  concord_problem placed = problem;
  const auto count = [](std::int32_t number) { return static_cast<std::size_t>(number); };
  placed.inputs = put(Argument::kInputs, std::span(problem.inputs, count(problem.num_inputs)));
  placed.outputs = put(Argument::kOutputs, std::span(problem.outputs, count(problem.num_outputs)));
  std::size_t bytes = 0;  // each of the structs of attributes begins with its size
  std::memcpy(&bytes, problem.attributes, sizeof bytes);
  placed.attributes = copy(Argument::kAttributes, problem.attributes, bytes);
  return put(Argument::kProblem, placed);
}

const char* Arguments::put_config(const std::string& config) {
  const std::span<const char> text(config.c_str(), config.size() + 1);
  return text.size() <= page_bytes() ? put(Argument::kConfig, text) : text.data();
}

char* Arguments::put_reason() {
  std::array<char, CONCORD_TEXT> garbage{};
  garbage.fill(static_cast<char>(kGarbage));
  return put(Argument::kReason, std::span<const char>(garbage));
}

std::string reason_in(const char* text) {
  return is_untouched(text) ? "" : std::string(text, strnlen(text, CONCORD_TEXT));
}

std::optional<std::string> fault_of_text(const std::string& name, const char* text) {
  if (is_untouched(text)) return std::nullopt;
  if (static_cast<unsigned char>(text[0]) == kGarbage) {
    return name + " begins with what was in its buffer before";
  }
  if (strnlen(text, CONCORD_TEXT) < CONCORD_TEXT) return std::nullopt;
  return name + " has no terminating zero within " + std::to_string(CONCORD_TEXT) + " bytes";
}

}  // namespace concord::conformance
