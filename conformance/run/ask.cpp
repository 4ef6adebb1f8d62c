// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/run/judge_query.h"
#include "conformance/run/lowering.h"
#include "conformance/run/steps.h"
#include "conformance/run/worker_loss.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

// Of a problem without a geometry: it has no dst to ask for, and nothing can be computed.
CaseResult judge_without_geometry(const PreparedCase& prepared, const QueryReply& reply) {
  if (const auto open = reference::open_question(prepared.source().problem)) {
    return judge_open(reply, *open);
  }
  return judge_refusal(reply, prepared.geometry().why());
}

// Asks for the Convolution that the declined problem is, if it is one.
Step<Asked> ask_lowered(const PreparedCase& prepared, Host& host, Asked declined) {
  const auto lowered = lower(prepared.source().problem, *prepared.geometry());
  if (!lowered) return declined;
  const auto reply = reply_of(host.query(lowered->problem));
  if (!reply) {
    CaseResult lost = reply.why();
    lost.lowered = print(lowered->problem);
    return lost;
  }
  if (reply->status == CONCORD_UNSUPPORTED) {
    declined.reply.reason += fmt::format("; and as a Convolution: {}", reply->reason);
    return declined;
  }
  return Asked{lowered->complete(), *reply, print(lowered->problem)};
}

// Of one fill of each problem that is enough.
Step<QueryReply> ask_twice(const Problem& problem, Host& host) {
  auto replies = reply_of(host.query_twice(problem));
  if (!replies) return replies.why();
  if (auto changed = judge_second_query(replies->first, replies->second)) {
    return *std::move(changed);
  }
  return replies->first;
}

}  // namespace

Step<Asked> ask(const PreparedCase& prepared, Host& host, bool may_lower) {
  const Problem& problem = prepared.source().problem;
  const Step<QueryReply> reply =
      prepared.is_telling() ? ask_twice(problem, host) : reply_of(host.query(problem));
  if (!reply) return reply.why();
  if (!prepared.geometry()) return judge_without_geometry(prepared, *reply);
  Asked asked{problem, *reply, {}};
  asked.complete.dst = prepared.geometry()->dst;
  if (!may_lower || reply->status != CONCORD_UNSUPPORTED) return asked;
  return ask_lowered(prepared, host, std::move(asked));
}

}  // namespace concord::conformance
