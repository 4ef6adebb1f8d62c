// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/room.h"

#include <fmt/format.h>
#include <unistd.h>

#include "conformance/worker/arena.h"

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

}  // namespace

std::optional<std::string> lacks_room(const Problem& problem, const Tensor& dst,
                                      std::size_t memory) {
  // Values in f64, an image as the backend sees it, and the memory shared with it; of dst also the
  // magnitudes, what was computed, what was marked, and a second result.
  constexpr double kValue = 8, kCopies = 2, kDstValues = 4, kDstCopies = 3;
  double needed = 0;
  std::optional<std::string> refusal;
  const auto count = [&](std::string_view name, const Tensor& tensor, double values,
                         double copies) {
    const double bytes = bytes_of(problem.dtype, tensor);
    needed += elements_of(tensor) * values * kValue + bytes * copies;
    if (bytes > static_cast<double>(kSlotBytes) && !refusal) {
      refusal = fmt::format("{}={} spans {:.0f} bytes; a tensor of at most {} can be tried", name,
                            to_string(tensor), bytes, kSlotBytes);
    }
  };
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) count(to_string(input), *tensor, 1, kCopies);
  }
  count("dst", dst, kDstValues, kDstCopies);
  if (refusal) return refusal;
  if (needed <= static_cast<double>(memory)) return std::nullopt;
  return fmt::format("judging the case takes some {:.0f} bytes; this machine has {}", needed,
                     memory);
}

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace concord::conformance
