// SPDX-License-Identifier: Apache-2.0
#include "conformance/arithmetic/arithmetic.h"
#include "conformance/run/judge_query.h"
#include "conformance/run/room.h"
#include "conformance/run/steps.h"
#include "conformance/run/work.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

std::size_t memory() {
  static const std::size_t bytes = usable_memory();  // read from files
  return bytes;
}

// The result of a case that takes more memory or work than there is.
std::optional<CaseResult> settle_cost(const PreparedCase& prepared, const Asked& asked,
                                      double max_work) {
  if (auto too_large = lacks_room(asked.complete, *asked.complete.dst, memory())) {
    return verdict(Verdict::kHarnessError, Tier::kNone, *std::move(too_large));
  }
  if (auto too_long = exceeds_work(asked.complete, *prepared.geometry(), max_work)) {
    return verdict(Verdict::kHarnessError, Tier::kNone, *std::move(too_long));
  }
  return std::nullopt;
}

}  // namespace

std::optional<CaseResult> settle(const PreparedCase& prepared, const Asked& asked,
                                 const concord_arithmetic& arithmetic) {
  const auto may_refuse = reference::may_be_refused(prepared.source().problem);
  if (auto settled = judge_query(asked.reply, *asked.complete.dst, may_refuse)) return settled;
  if (const auto unknown = find_unknown(arithmetic)) {
    return verdict(Verdict::kFail, Tier::kStatus, "query declared no arithmetic: " + *unknown);
  }
  return std::nullopt;
}

Step<Ready> prepare(PreparedCase& prepared, const Asked& asked, const ExamineOptions& options) {
  const QueryReply& reply = asked.reply;
  Ready ready{.arithmetic = options.arithmetic.value_or(reply.arithmetic),
              .sequence = prepared.sequence(),
              .hides_weights = prepared.hides_weights(),
              .executions = prepared.executions(),
              .threads = options.threads,
              .on_another_thread = prepared.on_another_thread(),
              .many_rounds = prepared.many_rounds()};
  if (auto settled = settle(prepared, asked, ready.arithmetic)) return *std::move(settled);
  if (auto settled = settle_cost(prepared, asked, options.max_work)) return *std::move(settled);
  const Problem& problem = prepared.source().problem;
  ready.inputs = images_of(problem, prepared.data(ready.arithmetic).inputs);
  if (ready.sequence != Sequence::kNothing) {
    ready.later = images_of(problem, prepared.later_data(ready.arithmetic).inputs);
  }
  const bool same_bits = reply.same_bits_any_threads && !reply.bits_vary_by_run;
  ready.other_threads = prepared.other_threads(options.threads, same_bits);
  return ready;
}

}  // namespace concord::conformance
