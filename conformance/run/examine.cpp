// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/examine.h"

#include <fmt/format.h>

#include <chrono>
#include <new>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/run/judge_answer.h"
#include "conformance/run/lowering.h"
#include "conformance/run/room.h"
#include "conformance/run/tensor_images.h"
#include "conformance/run/work.h"
#include "reference/open_question.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t memory() {
  static const std::size_t bytes = usable_memory();  // read from files
  return bytes;
}

CaseResult of_worker_failure(const WorkerFailure& failure) {
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

// The first of the alternatives, or the verdict that one of the other two means.
template <class Reply>
std::optional<CaseResult> no_reply(const std::variant<Reply, LoadFailure, WorkerFailure>& answer) {
  if (const auto* failure = std::get_if<WorkerFailure>(&answer)) return of_worker_failure(*failure);
  if (const auto* failure = std::get_if<LoadFailure>(&answer)) {
    if (!failure->ours) {
      CaseResult result = verdict(Verdict::kCrash, Tier::kProcess, failure->detail);
      result.loss = Loss::kOwn;
      return result;
    }
    CaseResult result = verdict(Verdict::kHarnessError, Tier::kNone, failure->detail);
    result.loss = Loss::kNotStarted;
    return result;
  }
  return std::nullopt;
}

/// What the backend was asked, and what it answered.
struct Asked {
  Problem complete{};  ///< with dst
  QueryReply reply{};
  std::string lowered{};
};

// Asks for the case's problem and, where that is declined and may be lowered, for the Convolution.
// Or the verdict of a backend that did not survive it.
std::variant<Asked, CaseResult> ask(const PreparedCase& prepared, Host& host, bool may_lower) {
  Asked asked{prepared.source().problem, {}, {}};
  const auto queried = host.query(asked.complete);
  if (auto lost = no_reply(queried)) return *lost;
  asked.reply = std::get<QueryReply>(queried);
  // One fill of each problem is enough for that.
  if (prepared.source().fill == Fill::kIntegers) {
    const auto second = host.query(asked.complete);
    if (auto lost = no_reply(second)) return *lost;
    const auto changed = judge_second_query(asked.reply, std::get<QueryReply>(second));
    if (changed) return *changed;
  }
  if (!prepared.geometry()) return asked;
  const Problem& problem = prepared.source().problem;
  asked.complete.dst = prepared.geometry()->dst;
  if (!may_lower || asked.reply.status != CONCORD_UNSUPPORTED) return asked;
  const auto lowered = lower(problem, *prepared.geometry());
  if (!lowered) return asked;
  const auto again = host.query(lowered->problem);
  if (auto lost = no_reply(again)) {
    lost->lowered = print(lowered->problem);
    return *lost;
  }
  const auto& reply = std::get<QueryReply>(again);
  if (reply.status == CONCORD_UNSUPPORTED) {
    asked.reply.reason += fmt::format("; and as a Convolution: {}", reply.reason);
    return asked;
  }
  return Asked{lowered->complete(), reply, print(lowered->problem)};
}

CaseResult try_and_judge(PreparedCase& prepared, Host& host, const Asked& asked,
                         const concord_arithmetic& arithmetic, int threads) {
  const Problem& problem = prepared.source().problem;
  const InputImages images = images_of(problem, prepared.data(arithmetic).inputs);
  InputImages later;
  if (prepared.changes_weights()) {
    constexpr Input kChanged[] = {Input::kWeights, Input::kBias};
    later = images_of(problem, prepared.later_data(arithmetic).inputs, kChanged);
  }
  const QueryReply& answer = asked.reply;
  const bool same_bits = answer.same_bits_any_threads && !answer.bits_vary_by_run;
  const Trial trial{.problem = asked.complete,
                    .src = images.src,
                    .weights = images.weights,
                    .bias = images.bias,
                    .diff_dst = images.diff_dst,
                    .threads = threads,
                    .constant_weights = !prepared.changes_weights(),
                    .executions = 2,
                    .later_weights = later.weights,
                    .later_bias = later.bias,
                    .other_threads = same_bits ? prepared.other_threads(threads) : 0};
  const auto tried = host.execute(trial);
  if (auto lost = no_reply(tried)) return *lost;
  return judge_reply(prepared, *prepared.geometry(), arithmetic, answer.bits_vary_by_run, trial,
                     std::get<TrialReply>(tried));
}

CaseResult examine_unprotected(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const auto answer = ask(prepared, host, options.lower);
  if (const auto* lost = std::get_if<CaseResult>(&answer)) return *lost;
  const Asked& asked = std::get<Asked>(answer);
  const QueryReply& reply = asked.reply;
  if (!prepared.geometry()) {
    if (const auto open = reference::open_question(prepared.source().problem)) {
      return judge_open(reply, *open);
    }
    return judge_refusal(reply, prepared.geometry().why());
  }
  const concord_arithmetic arithmetic = options.arithmetic.value_or(reply.arithmetic);

  CaseResult result;
  const Problem& problem = prepared.source().problem;
  if (auto settled = judge_query(reply, *asked.complete.dst, reference::may_be_refused(problem))) {
    result = *settled;
  } else if (const auto unknown = find_unknown(arithmetic)) {
    result = verdict(Verdict::kFail, Tier::kStatus, "query declared no arithmetic: " + *unknown);
  } else if (auto too_large = lacks_room(asked.complete, *asked.complete.dst, memory())) {
    result = verdict(Verdict::kHarnessError, Tier::kNone, *std::move(too_large));
  } else if (auto too_long = exceeds_work(asked.complete, *prepared.geometry(), options.max_work)) {
    result = verdict(Verdict::kHarnessError, Tier::kNone, *std::move(too_long));
  } else {
    result = try_and_judge(prepared, host, asked, arithmetic, options.threads);
    result.arithmetic = print(arithmetic);
  }
  result.lowered = asked.lowered;
  result.adapter_part = reply.adapter_part;
  result.implementation = reply.implementation;
  return result;
}

}  // namespace

CaseResult examine(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const auto begin = Clock::now();
  CaseResult result;
  try {
    result = examine_unprotected(prepared, host, options);
  } catch (const Interrupted& stopped) {
    result = verdict(Verdict::kHarnessError, Tier::kNone, stopped.what());
    result.loss = Loss::kStopped;
  } catch (const std::bad_alloc&) {
    result = verdict(Verdict::kHarnessError, Tier::kNone,
                     "this machine has not the memory that judging the case takes");
  } catch (const std::exception& trouble) {
    // A system call of ours that failed.
    result = verdict(Verdict::kHarnessError, Tier::kNone, trouble.what());
  }
  result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return result;
}

}  // namespace concord::conformance
