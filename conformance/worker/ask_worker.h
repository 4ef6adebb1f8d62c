// SPDX-License-Identifier: Apache-2.0
// Requests to a worker, and what may become of them.
#ifndef CONCORD_CONFORMANCE_WORKER_ASK_WORKER_H_
#define CONCORD_CONFORMANCE_WORKER_ASK_WORKER_H_

#include <functional>
#include <optional>
#include <vector>

#include "conformance/worker/conversation.h"

namespace concord::conformance {

struct Question {
  Stage stage;
  Json request;
  std::function<void(const Json&)> read;  ///< what it is answered
};

/// Asks, and reads the answers. What becomes a WorkerFailure here: a call that let an exception
/// out, a request that the worker could not serve, and an answer whose fields `read` complains of
/// by a Json::exception. Of kStart and kLoad, a failure is an answer.
std::optional<WorkerFailure> ask_worker(Conversation& conversation, Question question);
/// The same of several, which a worker serves without a pause. It neither executes nor releases
/// what could not be prepared: such an answer has no fields.
std::optional<WorkerFailure> ask_worker(Conversation& conversation,
                                        std::vector<Question> questions);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_ASK_WORKER_H_
