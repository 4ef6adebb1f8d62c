// SPDX-License-Identifier: Apache-2.0
// What it means for a case that the worker did not reply.
#ifndef CONCORD_CONFORMANCE_RUN_WORKER_LOSS_H_
#define CONCORD_CONFORMANCE_RUN_WORKER_LOSS_H_

#include <utility>
#include <variant>

#include "conformance/run/steps.h"
#include "conformance/worker/host.h"

namespace concord::conformance {

/// A crash or a hang of the backend's; no verdict if the run was stopped.
CaseResult result_of(const WorkerFailure& failure);
/// A crash of the backend's while it was loaded; no verdict if this machine could not start it.
CaseResult result_of(const LoadFailure& failure);

/// The reply, or the result of the case that got none.
template <class Reply>
Step<Reply> reply_of(Result<Reply, HostFailure> answer) {
  if (answer) return *std::move(answer);
  return std::visit([](const auto& failure) { return result_of(failure); }, answer.why());
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_WORKER_LOSS_H_
