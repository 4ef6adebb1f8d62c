// SPDX-License-Identifier: Apache-2.0
// One case on one backend: ask, prepare, execute, judge, record. steps.h says what each step does.
#ifndef CONCORD_CONFORMANCE_RUN_EXAMINE_H_
#define CONCORD_CONFORMANCE_RUN_EXAMINE_H_

#include <optional>

#include "conformance/record/case_result.h"
#include "conformance/run/prepared_case.h"
#include "conformance/run/work.h"
#include "conformance/worker/host.h"

namespace concord::conformance {

struct ExamineOptions {
  std::optional<concord_arithmetic> arithmetic{};  ///< instead of the declared one
  int threads = 1;
  double max_work = kDefaultMaxWork;  ///< a case that needs more is not judged: exceeds_work()
  bool lower = false;  ///< retry declined problems as the equivalent Convolution, if there is one
};

/// Runs the case on a backend and judges the result. Any error is part of the result. Where only
/// the statistics of random data fail, they have to fail once more with other data.
CaseResult examine(PreparedCase& prepared, Host& host, const ExamineOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_EXAMINE_H_
