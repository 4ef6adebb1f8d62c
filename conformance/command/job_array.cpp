// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/job_array.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace concord::conformance {
namespace {

/// The variables of one system. Its indices are first, first + step and so on.
struct JobArray {
  const char *index, *count, *first, *step;
  std::int64_t default_first;
};
constexpr JobArray kArrays[] = {
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", nullptr, nullptr, 0},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP", 0},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, nullptr, 1},
};

// The variable's number; `otherwise` if there is no such variable.
std::int64_t number_of(const char* name, std::optional<std::int64_t> otherwise) {
  const char* text = name == nullptr ? nullptr : std::getenv(name);
  if (text == nullptr && otherwise) return *otherwise;
  const std::string_view digits = text == nullptr ? "" : text;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size()) {
    throw CLI::ValidationError(fmt::format("auto: {}='{}' is not a whole number", name, digits));
  }
  return number;
}

}  // namespace

std::string shard_of_environment() {
  for (const JobArray& array : kArrays) {
    if (std::getenv(array.index) == nullptr) continue;
    const std::int64_t index = number_of(array.index, {}), count = number_of(array.count, {});
    const std::int64_t first = number_of(array.first, array.default_first);
    const std::int64_t step = number_of(array.step, 1);
    if (step < 1 || index < first || (index - first) % step != 0 ||
        (index - first) / step >= count) {
      throw CLI::ValidationError(
          fmt::format("auto: {}={} is none of {} parts from {}", array.index, index, count, first));
    }
    return fmt::format("{}/{}", (index - first) / step + 1, count);
  }
  throw CLI::ValidationError(
      "auto: neither GTEST_SHARD_INDEX, SLURM_ARRAY_TASK_ID nor CI_NODE_INDEX is set");
}

}  // namespace concord::conformance
