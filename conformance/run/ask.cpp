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

// By bits of the seed that decide nothing else. Later versions of the plugin ABI count on from the
// numbers there are.
UnknownNumber draw_unknown(std::uint64_t seed) {
  const std::uint64_t bits = seed >> 32U;
  return {bits / 2, bits % 2 == 0 ? 1000 : -1};
}

// Of one fill of each problem, repeatedly is enough. What must be refused needs no unknown number.
Step<Replies> query(const PreparedCase& prepared, Host& host) {
  const Case& source = prepared.source();
  if (source.fill != Fill::kIntegers) {
    auto reply = reply_of(host.query(source.problem));
    if (!reply) return reply.why();
    return Replies{*reply, *reply};
  }
  auto replies = reply_of(host.query_repeatedly(
      source.problem,
      prepared.geometry() ? std::optional(draw_unknown(source.seed)) : std::nullopt));
  if (!replies) return replies.why();
  if (auto changed = judge_second_query(replies->first, replies->second)) {
    return *std::move(changed);
  }
  return *std::move(replies);
}

}  // namespace

Step<Asked> ask(const PreparedCase& prepared, Host& host, bool may_lower) {
  const Problem& problem = prepared.source().problem;
  const Step<Replies> replies = query(prepared, host);
  if (!replies) return replies.why();
  const QueryReply& reply = replies->first;
  if (!prepared.geometry()) return judge_without_geometry(prepared, reply);
  Asked asked{problem, reply, {}, replies->unknown};
  asked.complete.dst = prepared.geometry()->dst;
  if (!may_lower || reply.status != CONCORD_UNSUPPORTED) return asked;
  return ask_lowered(prepared, host, std::move(asked));
}

}  // namespace concord::conformance
