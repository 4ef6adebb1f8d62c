// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/verdict.h"

#include "spec/check.h"

namespace concord::conformance {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "PASS";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kVacuous:
      return "VACUOUS";
    case Verdict::kDeclined:
      return "DECLINED";
    case Verdict::kClaimBroken:
      return "CLAIM_BROKEN";
    case Verdict::kCrash:
      return "CRASH";
    case Verdict::kHang:
      return "HANG";
    case Verdict::kHarnessError:
      return "HARNESS_ERROR";
  }
  CONCORD_CHECK(false) << "verdict " << static_cast<int>(verdict);
  return {};
}

bool is_failure(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kClaimBroken ||
         verdict == Verdict::kCrash || verdict == Verdict::kHang;
}

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

}  // namespace concord::conformance
