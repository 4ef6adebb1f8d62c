// SPDX-License-Identifier: Apache-2.0
// The result of one case on one backend.
#ifndef CONCORD_CONFORMANCE_RECORD_CASE_RESULT_H_
#define CONCORD_CONFORMANCE_RECORD_CASE_RESULT_H_

#include <optional>
#include <string>

#include "conformance/case/verdict.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/record/shared_text.h"
#include "conformance/record/wrong_map.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// The output element that shows a failure best.
struct Failure {
  Extents element{};  ///< its index, in the axis order of dst
  double got = 0;
  double want = 0;
  double allowed = 0;              ///< how far `got` may be from `want`
  double lowest = 0, highest = 0;  ///< the ends of the accepted interval, values of the dtype
  std::string accepted{};          ///< accepted_text(): the same in words, and why
  WrongMap where{};                ///< where all wrong elements lie
  bool operator==(const Failure&) const = default;
};

/// What happened to the process in which a backend ran.
enum class Loss {
  kNone,            ///< it lived to answer
  kOwn,             ///< it ended or fell silent, or could not load the backend again
  kPerhapsOutside,  ///< by a signal that other processes and the kernel also send
  kNotStarted,      ///< this machine could not start it
  kStopped,         ///< the run was stopped meanwhile: there is no verdict
};
/// True of SIGKILL, which comes where memory runs out, and of signals that people send.
bool may_come_from_outside(int signal);

struct CaseResult {
  Verdict verdict = Verdict::kHarnessError;
  Tier tier = Tier::kNone;
  std::string reason{};     ///< one sentence; empty for a plain pass
  SharedText arithmetic{};  ///< the class it was judged by; empty if it was not reached
  /// The Convolution that the backend was given in place of the problem; empty where it served the
  /// problem itself, or nothing.
  std::string lowered{};
  SharedText adapter_part{};       ///< what the backend's adapter did for its library
  SharedText implementation{};     ///< what the library ran, if known
  std::size_t elements = 0;        ///< output elements compared
  std::size_t wrong = 0;           ///< of these, wrong ones
  std::optional<double> margin{};  ///< worst |got - want| / allowed
  /// About the smallest d such that outputs off by a factor 1 + d are rejected.
  std::optional<double> resolution{};
  std::optional<Failure> failure{};
  std::optional<TensorErrors> errors{};  ///< of random data in a conventional class
  double milliseconds = 0;
  Loss loss = Loss::kNone;  ///< not written to results
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_CASE_RESULT_H_
