// SPDX-License-Identifier: Apache-2.0
// What a backend's answer to query means for a case.
#ifndef CONCORD_CONFORMANCE_RUN_JUDGE_QUERY_H_
#define CONCORD_CONFORMANCE_RUN_JUDGE_QUERY_H_

#include <optional>
#include <string>

#include "conformance/record/case_result.h"
#include "conformance/worker/host.h"
#include "reference/open_question.h"
#include "spec/result.h"

namespace concord::conformance {

CaseResult verdict(Verdict verdict, Tier tier, std::string reason);

/// "CONCORD_INVALID (its reason)": what a call returned, and the reason if there is one.
std::string status_text(int status, const std::string& reason);

/// Of a query's answer to a problem that the specification forbids.
CaseResult judge_refusal(const QueryReply& reply, const Refusal& refusal);
/// Of a query's answer to a problem that the documents leave open: refusing it and serving it with
/// the shape of dst that follows are both right. It is not executed, since neither is judged
/// further. Where no shape follows, any answer is as good as another: vacuous.
CaseResult judge_open(const QueryReply& reply, const reference::OpenQuestion& question);
/// Of a query's answer to a problem that the reference accepts, where it settles the case.
/// `may_refuse` is what reference::may_be_refused() says of it: where that is a sentence,
/// CONCORD_INVALID declines.
std::optional<CaseResult> judge_query(const QueryReply& reply, const Tensor& dst,
                                      const std::optional<std::string>& may_refuse);
/// Of two answers to one query: one who relies on an answer must get the same one again.
std::optional<CaseResult> judge_second_query(const QueryReply& first, const QueryReply& second);
/// Of an answer to a problem with an unknown number: what a plugin does not know, it declines.
std::optional<CaseResult> judge_unknown(const UnknownNumber& unknown, const UnknownReply& reply);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_JUDGE_QUERY_H_
