// SPDX-License-Identifier: Apache-2.0
#include "conformance/case.h"

#include "spec/check.h"

namespace concord::conformance {

std::string_view to_string(Fill fill) {
  switch (fill) {
    case Fill::kIntegers:
      return "integers";
    case Fill::kImpulse:
      return "impulse";
    case Fill::kRamp:
      return "ramp";
    case Fill::kSubnormal:
      return "subnormal";
    case Fill::kSparse:
      return "sparse";
    case Fill::kUniform:
      return "uniform";
    case Fill::kWide:
      return "wide";
    case Fill::kSpecial:
      return "special";
    case Fill::kOverflow:
      return "overflow";
    case Fill::kRecorded:
      return "recorded";
  }
  CONCORD_CHECK(false) << "fill " << static_cast<int>(fill);
  return {};
}

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

}  // namespace concord::conformance
