// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/case_result.h"

#include <csignal>

#include "spec/check.h"

namespace concord::conformance {

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::kNone:
      return "none";
    case Tier::kProcess:
      return "process";
    case Tier::kStatus:
      return "status";
    case Tier::kShape:
      return "shape";
    case Tier::kExact:
      return "exact";
    case Tier::kInterval:
      return "interval";
    case Tier::kStatistical:
      return "statistical";
    case Tier::kSpecial:
      return "special";
    case Tier::kSideEffects:
      return "side_effects";
  }
  CONCORD_CHECK(false) << "tier " << static_cast<int>(tier);
  return {};
}

bool may_come_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

bool is_failure(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kClaimBroken ||
         verdict == Verdict::kCrash || verdict == Verdict::kHang;
}

}  // namespace concord::conformance
