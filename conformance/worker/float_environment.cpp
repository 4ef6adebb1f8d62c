// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/float_environment.h"

#include <cfenv>
#include <limits>

namespace concord::conformance {
namespace {

// Operands that the compiler cannot know, so that it is the processor that computes.
const char* rounding() {
  volatile float one = 1, minus_one = -1, tiny = 0x1p-30F;
  if (one + tiny > 1) return "upward";
  const bool less = one - tiny < 1, less_than_minus_one = minus_one - tiny < -1;
  if (less_than_minus_one) return "downward";
  return less ? "toward zero" : nullptr;
}

bool flushes_results() {
  volatile float smallest = std::numeric_limits<float>::min();
  return smallest / 2 == 0;
}

bool flushes_inputs() {
  volatile float subnormal = std::numeric_limits<float>::denorm_min();
  return subnormal * 0x1p100F == 0;
}

}  // namespace

std::string changed_float_environment() {
  // First, for then computing could be a signal.
  if (fegetexcept() != 0) return "floating-point exceptions raise signals";
  std::string changes;
  const auto add = [&](const std::string& change) {
    changes += (changes.empty() ? "" : ", ") + change;
  };
  if (const char* direction = rounding()) add(std::string("results are rounded ") + direction);
  if (flushes_results()) add("subnormal results become zero");
  if (flushes_inputs()) add("subnormal inputs count as zero");
  return changes;
}

}  // namespace concord::conformance
