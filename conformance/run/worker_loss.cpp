// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/worker_loss.h"

#include "conformance/run/judge_query.h"

namespace concord::conformance {

CaseResult result_of(const WorkerFailure& failure) {
  if (failure.kind == WorkerFailure::Kind::kStopped) {
    CaseResult stopped = verdict(Verdict::kHarnessError, Tier::kNone, describe(failure));
    stopped.loss = Loss::kStopped;
    return stopped;
  }
  const bool hang = failure.kind == WorkerFailure::Kind::kHang;
  CaseResult result =
      verdict(hang ? Verdict::kHang : Verdict::kCrash, Tier::kProcess, describe(failure));
  result.loss = may_come_from_outside(failure.signal) ? Loss::kPerhapsOutside : Loss::kOwn;
  return result;
}

CaseResult result_of(const LoadFailure& failure) {
  CaseResult result = failure.ours ? verdict(Verdict::kHarnessError, Tier::kNone, failure.detail)
                                   : verdict(Verdict::kCrash, Tier::kProcess, failure.detail);
  result.loss = failure.ours ? Loss::kNotStarted : Loss::kOwn;
  return result;
}

}  // namespace concord::conformance
