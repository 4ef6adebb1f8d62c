// SPDX-License-Identifier: Apache-2.0
// The verdict on a case, and which of the judge's questions decided it.
#ifndef CONCORD_CONFORMANCE_CASE_VERDICT_H_
#define CONCORD_CONFORMANCE_CASE_VERDICT_H_

#include <string_view>

namespace concord::conformance {

/// The verdict on a case.
enum class Verdict {
  kPass,
  kFail,
  kVacuous,      ///< the case could not have rejected a wrong answer
  kDeclined,     ///< the backend does not serve the problem, and said so when asked
  kClaimBroken,  ///< the backend said that it serves the problem, and then declined
  kCrash,        ///< the backend's process died
  kHang,         ///< the backend's process did not answer before the deadline
  kHarnessError  ///< our own failure; says nothing about the backend
};
inline constexpr Verdict kVerdicts[] = {
    Verdict::kPass,        Verdict::kFail,  Verdict::kVacuous, Verdict::kDeclined,
    Verdict::kClaimBroken, Verdict::kCrash, Verdict::kHang,    Verdict::kHarnessError};
/// "PASS", "FAIL", "VACUOUS", "DECLINED", "CLAIM_BROKEN", "CRASH", "HANG" or "HARNESS_ERROR".
std::string_view to_string(Verdict verdict);

/// True for the verdicts that keep a backend from conforming.
bool is_failure(Verdict verdict);

/// Which of the judge's questions decided the verdict.
enum class Tier {
  kNone,         ///< none: the case was declined
  kProcess,      ///< did the backend's process live and answer?
  kStatus,       ///< did it serve, decline and refuse as it should?
  kShape,        ///< is the inferred shape right?
  kExact,        ///< docs/numerics.md#exact-tier
  kInterval,     ///< docs/numerics.md#interval-tier
  kStatistical,  ///< docs/numerics.md#statistical-tier
  kSpecial,      ///< docs/numerics.md#special-values
  kSideEffects,  ///< memory outside dst untouched, the same bits again
};
inline constexpr Tier kTiers[] = {Tier::kNone,        Tier::kProcess, Tier::kStatus,
                                  Tier::kShape,       Tier::kExact,   Tier::kInterval,
                                  Tier::kStatistical, Tier::kSpecial, Tier::kSideEffects};
/// "none", "process", "status", "shape", "exact", "interval", "statistical",
/// "special" or "side_effects".
std::string_view to_string(Tier tier);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CASE_VERDICT_H_
