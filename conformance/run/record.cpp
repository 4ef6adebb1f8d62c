// SPDX-License-Identifier: Apache-2.0
#include "conformance/arithmetic/arithmetic.h"
#include "conformance/run/steps.h"

namespace concord::conformance {

CaseResult record(CaseResult result, const Asked& asked,
                  const std::optional<concord_arithmetic>& judged_by) {
  if (judged_by) result.arithmetic = print(*judged_by);
  result.lowered = asked.lowered;
  result.adapter_part = asked.reply.adapter_part;
  result.implementation = asked.reply.implementation;
  return result;
}

}  // namespace concord::conformance
