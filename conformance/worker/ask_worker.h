// SPDX-License-Identifier: Apache-2.0
// One request to a worker, and what may become of it.
#ifndef CONCORD_CONFORMANCE_WORKER_ASK_WORKER_H_
#define CONCORD_CONFORMANCE_WORKER_ASK_WORKER_H_

#include <functional>
#include <optional>

#include "conformance/worker/conversation.h"

namespace concord::conformance {

/// Asks, and reads the answer by `read`. What becomes a WorkerFailure here: a call that let an
/// exception out, a request that the worker could not serve, and an answer whose fields `read`
/// complains of by a Json::exception. Of kStart and kLoad, a failure is an
/// answer.
std::optional<WorkerFailure> ask_worker(Conversation& conversation, Stage stage, Json request,
                                        const std::function<void(const Json&)>& read);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_ASK_WORKER_H_
