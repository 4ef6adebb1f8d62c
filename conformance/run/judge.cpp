// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/record/failure_text.h"
#include "conformance/run/judge_parts.h"
#include "conformance/run/judge_query.h"
#include "conformance/run/leak.h"
#include "conformance/run/map_wrong.h"
#include "conformance/run/other_bits.h"
#include "conformance/run/steps.h"

namespace concord::conformance {
std::optional<CaseResult> judge_statuses(const TrialReply& reply, int threads) {
  std::string with = reply.threads == threads ? "" : fmt::format(" with threads={}", reply.threads);
  if (reply.of_second_handle) with += " for a second handle of the problem";
  for (const auto& [call, status] :
       {std::pair{"prepare", reply.prepare_status}, std::pair{"execute", reply.execute_status}}) {
    if (status == CONCORD_OK) continue;
    const bool declined = status == CONCORD_UNSUPPORTED || status == CONCORD_INVALID;
    return verdict(declined ? Verdict::kClaimBroken : Verdict::kFail, Tier::kStatus,
                   fmt::format("{} answered {}{} after query had answered CONCORD_OK", call,
                               status_text(status, reply.reason), with));
  }
  return std::nullopt;
}

CaseResult judge_values(PreparedCase& prepared, const concord_arithmetic& arithmetic,
                        const PreparedCase::Data& data, std::span<const std::byte> dst) {
  const Problem& problem = prepared.source().problem;
  const Tensor& tensor = prepared.geometry()->dst;
  const auto got = values_of(problem, tensor, dst);
  const DataVerdict judged =
      judge_data(prepared.expectation(arithmetic, data), prepared.trust(arithmetic), got);
  const Finding& finding = judged.finding;
  CaseResult result = verdict(judged.verdict, judged.tier, judged.reason);
  result.elements = finding.elements;
  result.wrong = finding.wrong;
  result.errors = judged.errors;
  if (std::isfinite(finding.margin)) result.margin = finding.margin;
  const double resolution = prepared.trust(arithmetic).resolution;
  if (std::isfinite(resolution)) result.resolution = resolution;
  if (!finding.passed()) {
    const WrongElement& worst = finding.worst.value();
    result.failure = Failure{own_index(problem, tensor, worst.index),
                             worst.got,
                             worst.want,
                             worst.allowed,
                             worst.lowest,
                             worst.highest,
                             accepted_text(problem.dtype, arithmetic, worst),
                             map_wrong(problem, *prepared.geometry(), finding.places)};
    const std::string leak = describe_leak(problem, tensor, result.failure->element, dst);
    if (!leak.empty()) result.reason += (result.reason.empty() ? "" : "; ") + leak;
  }
  return result;
}

std::optional<std::string> trouble_with_conduct(const TrialReply& reply) {
  if (reply.bytes_written_outside > 0) {
    return fmt::format("{} bytes between or around the elements of dst were written",
                       reply.bytes_written_outside);
  }
  if (!reply.float_environment.empty()) {
    return "execute changed the floating-point environment: " + reply.float_environment;
  }
  if (!reply.process_state.empty()) {
    return "the process is left changed when the problem is released: " + reply.process_state;
  }
  if (!reply.growth.empty()) {
    return "what it holds grows each time that the problem is prepared, executed and released: " +
           reply.growth;
  }
  return std::nullopt;
}

namespace {

// The values of all executions that had data of their own.
CaseResult judge_all_values(PreparedCase& prepared, const Ready& ready, const TrialReply& reply) {
  const concord_arithmetic& arithmetic = ready.arithmetic;
  const PreparedCase::Data& data = prepared.data(arithmetic);
  CaseResult result = judge_values(prepared, arithmetic, data, reply.dst);
  if (is_failure(result.verdict)) return result;
  if (!reply.other_threads_dst.empty()) {
    CaseResult other = judge_values(prepared, arithmetic, data, reply.other_threads_dst);
    other.reason = fmt::format("with threads={}: {}", ready.other_threads, other.reason);
    if (is_failure(other.verdict)) return other;
  }
  if (reply.later_dst.empty()) return result;
  CaseResult later =
      judge_values(prepared, arithmetic, prepared.later_data(arithmetic), reply.later_dst);
  if (!is_failure(later.verdict)) return result;
  later.reason = (prepared.sequence() == Sequence::kSecondHandle
                      ? "of a second handle of the problem, with other inputs: "
                      : "with other inputs than in the previous execution: ") +
                 later.reason;
  return later;
}

// Why the bits of two executions are not those that they should be, unless they are.
std::optional<std::string> trouble_with_bits(const PreparedCase& prepared, const Asked& asked,
                                             const Ready& ready, const TrialReply& reply) {
  const Problem& problem = prepared.source().problem;
  const Tensor& dst = prepared.geometry()->dst;
  if (!reply.other_dst.empty()) {
    const auto other = find_other_bits(problem.dtype, dst, reply.dst, reply.other_dst).value();
    const std::string leak = describe_leak(problem, dst, other.element, reply.dst);
    constexpr const char* kBetween[] = {"", ", after one with other inputs,",
                                        ", after one of a second handle of the problem,"};
    return fmt::format(
        "another execution{} with different garbage in dst and workspace{} gave different bits: "
        "{}{}",
        ready.on_another_thread ? " from another thread" : "",
        kBetween[static_cast<std::size_t>(ready.sequence)], describe(other),
        leak.empty() ? "" : "; " + leak);
  }
  if (!reply.last_round_dst.empty()) {
    const auto other = find_other_bits(problem.dtype, dst, reply.dst, reply.last_round_dst).value();
    return "prepared, executed and released again and again it gave different bits: " +
           describe(other);
  }
  if (!reply.other_later_dst.empty()) {
    const auto other =
        find_other_bits(problem.dtype, dst, reply.later_dst, reply.other_later_dst).value();
    return "when the first handle of the problem is released, a second one gives different bits: " +
           describe(other);
  }
  if (reply.other_threads_dst.empty() || !asked.reply.same_bits_any_threads) return std::nullopt;
  const auto other =
      find_other_bits(problem.dtype, dst, reply.dst, reply.other_threads_dst).value();
  return "query declared the same bits for any number of threads: " +
         describe(other, ready.threads, ready.other_threads);
}

// What is wrong with what the backend did beside computing, if anything is.
std::optional<std::string> trouble_with_side_effects(const PreparedCase& prepared,
                                                     const Asked& asked, const Ready& ready,
                                                     const TrialReply& reply) {
  if (auto trouble = trouble_with_conduct(reply)) return trouble;
  if (asked.reply.bits_vary_by_run) return std::nullopt;
  return trouble_with_bits(prepared, asked, ready, reply);
}

}  // namespace

CaseResult judge(PreparedCase& prepared, const Asked& asked, const Ready& ready,
                 const TrialReply& reply) {
  if (auto broken = judge_statuses(reply, ready.threads)) return *std::move(broken);
  const bool has_values = element_count(prepared.geometry()->dst.dims) != 0;
  CaseResult result = has_values ? judge_all_values(prepared, ready, reply)
                                 : verdict(Verdict::kPass, Tier::kShape, {});
  if (is_failure(result.verdict)) return result;
  auto trouble = trouble_with_side_effects(prepared, asked, ready, reply);
  if (!trouble) return result;
  result.verdict = Verdict::kFail;
  result.tier = Tier::kSideEffects;
  result.reason = *std::move(trouble);
  return result;
}

}  // namespace concord::conformance
