// SPDX-License-Identifier: Apache-2.0
// The verdict on a case, and which of the judge's questions decided it.
#ifndef CONCORD_CONFORMANCE_CASE_VERDICT_H_
#define CONCORD_CONFORMANCE_CASE_VERDICT_H_

#include "spec/words.h"

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

}  // namespace concord::conformance

namespace concord {
template <>
inline constexpr std::array kWords<conformance::Verdict> = std::to_array<std::string_view>(
    {"PASS", "FAIL", "VACUOUS", "DECLINED", "CLAIM_BROKEN", "CRASH", "HANG", "HARNESS_ERROR"});
template <>
inline constexpr std::array kWords<conformance::Tier> =
    std::to_array<std::string_view>({"none", "process", "status", "shape", "exact", "interval",
                                     "statistical", "special", "side_effects"});
}  // namespace concord

namespace concord::conformance {

using concord::to_string;
inline constexpr auto kVerdicts = kAll<Verdict>;
inline constexpr auto kTiers = kAll<Tier>;

/// True for the verdicts that keep a backend from conforming.
constexpr bool is_failure(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kClaimBroken ||
         verdict == Verdict::kCrash || verdict == Verdict::kHang;
}

/// True for the tiers that judge the values of dst.
constexpr bool is_of_values(Tier tier) {
  return tier >= Tier::kExact && tier != Tier::kSideEffects;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CASE_VERDICT_H_
