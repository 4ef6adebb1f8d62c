// SPDX-License-Identifier: Apache-2.0
// The steps of a case on one backend, in their order. Each passes what it found to the next, or
// settles the case. After the fourth, memory_bound.h and unknown_number.h have more questions.
#ifndef CONCORD_CONFORMANCE_RUN_STEPS_H_
#define CONCORD_CONFORMANCE_RUN_STEPS_H_

#include <optional>
#include <string>

#include "conformance/record/case_result.h"
#include "conformance/run/examine.h"
#include "conformance/run/prepared_case.h"
#include "conformance/run/tensor_images.h"
#include "conformance/worker/host.h"
#include "spec/result.h"

namespace concord::conformance {

/// What a step passes to the next one, or the result of a case that no further step changes.
template <class T>
using Step = Result<T, CaseResult>;

/// What the backend was asked, and what it answered.
struct Asked {
  Problem complete{};  ///< with dst
  QueryReply reply{};
  std::string lowered{};  ///< the line of the Convolution, if it was asked for that instead
};

/// What the backend is to compute, and with which data.
struct Ready {
  concord_arithmetic arithmetic{};  ///< the case is judged by this one
  InputImages inputs{};
  Sequence sequence = Sequence::kNothing;
  bool hides_weights = false;
  InputImages later{};  ///< the other inputs of `sequence`
  int executions = 2;   ///< with `inputs`
  int threads = 1;
  int other_threads = 0;  ///< it is computed once more with so many, if not 0
  bool on_another_thread = false, many_rounds = false;
};

/// 1. Asks whether the backend serves the case; where it declines and `may_lower`, whether it
/// serves the Convolution that the case is. Settles the case if the worker is lost, if the same
/// query gets two answers, and if the specification forbids the problem or leaves it open.
Step<Asked> ask(const PreparedCase& prepared, Host& host, bool may_lower);

/// The result of a case that the answer to query settles: a backend that declines, or answers
/// wrongly.
std::optional<CaseResult> settle(const PreparedCase& prepared, const Asked& asked,
                                 const concord_arithmetic& arithmetic);

/// 2. Makes the data. Settles the case if the backend declines it or answers wrongly, and if it
/// takes more memory or work than there is.
Step<Ready> prepare(PreparedCase& prepared, const Asked& asked, const ExamineOptions& options);

/// 3. Lets the backend compute. Settles the case if the worker is lost.
Step<TrialReply> execute(Host& host, const Asked& asked, const Ready& ready);

/// 4. Judges values, statuses and side effects. A zero-size dst has no values to judge: the
/// inferred shape and the statuses were the case.
CaseResult judge(PreparedCase& prepared, const Asked& asked, const Ready& ready,
                 const TrialReply& reply);

/// 5. Completes the result by what the backend said of itself, and by the arithmetic that it was
/// judged by, if it was asked to compute.
CaseResult record(CaseResult result, const Asked& asked,
                  const std::optional<concord_arithmetic>& judged_by);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_STEPS_H_
