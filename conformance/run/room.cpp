// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/room.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "conformance/worker/arena.h"
#include "conformance/worker/cgroup.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// In floating point: a sum of sizes that no machine has must not overflow.
double elements_of(const Tensor& tensor) {
  return static_cast<double>(element_count(tensor.dims).value_or(0));
}

double bytes_of(Dtype dtype, const Tensor& tensor) {
  return static_cast<double>(element_span(tensor).value_or(0)) *
         static_cast<double>(size_of(dtype));
}

// Values in f64, an image as the backend sees it, and the memory shared with it; of dst also the
// magnitudes, what was computed, what was marked, and a second result.
constexpr double kValue = 8, kCopies = 2, kDstValues = 4, kDstCopies = 3;
// dst of a huge problem, and what a backend keeps beside it.
constexpr double kHugeCopies = 1.5;

// Calls `look` with the name of each tensor, itself, and the bytes that judging it takes.
template <class Look>
void for_tensors(const Problem& problem, const Tensor& dst, Look look) {
  const auto one = [&](std::string_view name, const Tensor& tensor, double values, double copies) {
    look(name, tensor,
         elements_of(tensor) * values * kValue + bytes_of(problem.dtype, tensor) * copies);
  };
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) one(to_string(input), *tensor, 1, kCopies);
  }
  one("dst", dst, kDstValues, kDstCopies);
}

// The first tensor that spans more than `limit` bytes, in words.
std::optional<std::string> spans_more_than(std::size_t limit, const Problem& problem,
                                           const Tensor& dst) {
  std::optional<std::string> refusal;
  for_tensors(problem, dst, [&](std::string_view name, const Tensor& tensor, double) {
    const double bytes = bytes_of(problem.dtype, tensor);
    if (bytes <= static_cast<double>(limit) || refusal) return;
    refusal = fmt::format("{}={} spans {:.0f} bytes; at most {} are supported", name,
                          to_string(tensor), bytes, limit);
  });
  return refusal;
}

}  // namespace

std::optional<std::string> lacks_huge_room(const Problem& problem, const Tensor& dst,
                                           std::size_t memory) {
  auto refusal = spans_more_than(kLargestHugeTensor, problem, dst);
  // Only dst is written as a whole, unless it has gaps.
  const double written = bytes_of(problem.dtype, dst);
  const bool has_gaps = element_count(dst.dims) != element_span(dst);
  if (refusal || has_gaps || written * kHugeCopies <= static_cast<double>(memory)) return refusal;
  return fmt::format("judging the case needs some {:.0f} bytes; this process may use {}",
                     written * kHugeCopies, memory);
}

bool is_huge(const Problem& problem) {
  const auto resolved = reference::resolve(problem);
  if (!problem.dst && !resolved) return false;
  bool huge = false;
  for_tensors(problem, problem.dst ? *problem.dst : resolved->dst,
              [&](std::string_view, const Tensor& tensor, double) {
                huge =
                    huge || bytes_of(problem.dtype, tensor) > static_cast<double>(kLargestTensor);
              });
  return huge;
}

double room_of(const Problem& problem, const Tensor& dst) {
  double needed = 0;
  for_tensors(problem, dst,
              [&](std::string_view, const Tensor&, double bytes) { needed += bytes; });
  return needed;
}

std::optional<std::string> lacks_room(const Problem& problem, const Tensor& dst,
                                      std::size_t memory) {
  if (auto refusal = spans_more_than(kLargestTensor, problem, dst)) return refusal;
  const double needed = room_of(problem, dst);
  if (needed <= static_cast<double>(memory)) return std::nullopt;
  return fmt::format("judging the case needs some {:.0f} bytes; this process may use {}", needed,
                     memory);
}

void SharedRoom::take(double bytes) {
  std::unique_lock lock(mutex_);
  given_.wait(lock, [&] { return cases_ == 0 || taken_ + bytes <= memory_; });
  ++cases_;
  taken_ += bytes;
}

void SharedRoom::give(double bytes) {
  {
    const std::lock_guard lock(mutex_);
    --cases_;
    taken_ = cases_ == 0 ? 0 : taken_ - bytes;  // so that no rounding stays
  }
  given_.notify_all();
}

std::size_t usable_memory(const std::string& root) {
  const std::uint64_t physical = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                 static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(physical, cgroup_memory_limit(root).value_or(physical));
}

}  // namespace concord::conformance
