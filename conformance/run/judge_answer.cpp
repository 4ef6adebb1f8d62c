// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/judge_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/record/failure_text.h"
#include "conformance/run/leak.h"
#include "conformance/run/other_bits.h"
#include "conformance/run/tensor_images.h"

namespace concord::conformance {
namespace {

std::string status_text(int status, const std::string& reason) {
  constexpr const char* kNames[] = {"CONCORD_OK", "CONCORD_UNSUPPORTED", "CONCORD_INVALID",
                                    "CONCORD_FAULT"};
  const std::string name =
      status >= 0 && status < 4 ? kNames[status] : fmt::format("status {}, which is none", status);
  return reason.empty() ? name : fmt::format("{} ({})", name, reason);
}

std::optional<CaseResult> judge_statuses(const Trial& trial, const TrialReply& reply) {
  const std::string with =
      reply.threads == trial.threads ? "" : fmt::format(" with threads={}", reply.threads);
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

// What counts of an answer, in one line.
std::string summary_of(const QueryReply& reply) {
  if (reply.status != CONCORD_OK) return status_text(reply.status, {});
  const std::string arithmetic =
      find_unknown(reply.arithmetic) ? "an unknown class" : print(reply.arithmetic);
  return fmt::format("CONCORD_OK, dst {}, {}", to_string(Tensor{reply.dst_dims, {}}), arithmetic);
}

CaseResult judge_values(PreparedCase& prepared, const reference::Resolution& geometry,
                        const concord_arithmetic& arithmetic, const PreparedCase::Data& data,
                        const std::vector<std::byte>& dst) {
  const Problem& problem = prepared.source().problem;
  const auto got = values_of(problem, geometry.dst, dst);
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
    result.failure = Failure{own_index(problem, geometry.dst, worst.index),
                             worst.got,
                             worst.want,
                             worst.allowed,
                             worst.lowest,
                             worst.highest,
                             accepted_text(problem.dtype, arithmetic, worst)};
    const std::string leak = describe_leak(problem, geometry.dst, result.failure->element, dst);
    if (!leak.empty()) result.reason += (result.reason.empty() ? "" : "; ") + leak;
  }
  return result;
}

// Why the bits of two executions are not those that they should be; empty if they are.
std::string trouble_with_bits(const Problem& problem, const Tensor& dst, const Trial& trial,
                              const TrialReply& reply) {
  if (!reply.other_dst.empty()) {
    const auto other = find_other_bits(problem.dtype, dst, reply.dst, reply.other_dst).value();
    const std::string leak = describe_leak(problem, dst, other.element, reply.dst);
    return "a second execution with other garbage in dst and workspace gave other bits: " +
           describe(other) + (leak.empty() ? "" : "; " + leak);
  }
  if (reply.other_threads_dst.empty()) return {};
  const auto other =
      find_other_bits(problem.dtype, dst, reply.dst, reply.other_threads_dst).value();
  return "query declared the same bits for any number of threads: " +
         describe(other, trial.threads, trial.other_threads);
}

}  // namespace

CaseResult verdict(Verdict verdict, Tier tier, std::string reason) {
  CaseResult result;
  result.verdict = verdict;
  result.tier = tier;
  result.reason = std::move(reason);
  return result;
}

CaseResult judge_refusal(const QueryReply& reply, const Refusal& refusal) {
  if (reply.status == CONCORD_INVALID) return verdict(Verdict::kPass, Tier::kStatus, {});
  if (reply.status == CONCORD_UNSUPPORTED) {
    return verdict(Verdict::kDeclined, Tier::kNone, reply.reason);
  }
  return verdict(Verdict::kFail, Tier::kStatus,
                 fmt::format("query answered {} to a problem that is invalid: {}",
                             status_text(reply.status, reply.reason), refusal.detail));
}

CaseResult judge_open(const QueryReply& reply, const reference::OpenQuestion& question) {
  const std::string not_judged =
      fmt::format("not judged: the documents leave open whether it is refused: {}", question.why);
  if (reply.status == CONCORD_UNSUPPORTED) {
    return verdict(Verdict::kDeclined, Tier::kNone, reply.reason);
  }
  if (reply.status != CONCORD_OK && reply.status != CONCORD_INVALID) {
    return verdict(Verdict::kFail, Tier::kStatus,
                   fmt::format("query answered {}", status_text(reply.status, reply.reason)));
  }
  if (!question.dst_dims) return verdict(Verdict::kVacuous, Tier::kNone, not_judged);
  if (reply.status == CONCORD_OK && reply.dst_dims != *question.dst_dims) {
    return verdict(Verdict::kFail, Tier::kShape,
                   fmt::format("inferred dst {}, want {} or a refusal: {}",
                               to_string(Tensor{reply.dst_dims, {}}),
                               to_string(Tensor{*question.dst_dims, {}}), question.why));
  }
  return verdict(Verdict::kPass, Tier::kStatus,
                 (reply.status == CONCORD_OK ? "served with the right shape; computing is "
                                             : "refused, which is ") +
                     not_judged);
}

std::optional<CaseResult> judge_query(const QueryReply& reply, const Tensor& dst,
                                      const std::optional<std::string>& may_refuse) {
  if (may_refuse && reply.status == CONCORD_INVALID) {
    return verdict(Verdict::kDeclined, Tier::kNone,
                   fmt::format("{}; a refusal counts as declining: {}", reply.reason, *may_refuse));
  }
  if (reply.status == CONCORD_UNSUPPORTED) {
    return verdict(Verdict::kDeclined, Tier::kNone, reply.reason);
  }
  if (reply.status != CONCORD_OK) {
    return verdict(Verdict::kFail, Tier::kStatus,
                   fmt::format("query answered {} to a valid problem",
                               status_text(reply.status, reply.reason)));
  }
  if (reply.dst_dims != dst.dims) {
    return verdict(Verdict::kFail, Tier::kShape,
                   fmt::format("inferred dst {}, want {}", to_string(Tensor{reply.dst_dims, {}}),
                               to_string(Tensor{dst.dims, {}})));
  }
  return std::nullopt;
}

std::optional<CaseResult> judge_second_query(const QueryReply& first, const QueryReply& second) {
  const std::string before = summary_of(first);
  const std::string now = summary_of(second);
  if (now == before) return std::nullopt;
  return verdict(Verdict::kFail, Tier::kStatus,
                 fmt::format("query answered {} and then, to the same problem, {}", before, now));
}

CaseResult judge_reply(PreparedCase& prepared, const reference::Resolution& geometry,
                       const concord_arithmetic& arithmetic, bool bits_vary_by_run,
                       const Trial& trial, const TrialReply& reply) {
  if (auto broken = judge_statuses(trial, reply)) return *broken;
  CaseResult result = verdict(Verdict::kPass, Tier::kShape, {});
  if (element_count(geometry.dst.dims) != 0) {
    result = judge_values(prepared, geometry, arithmetic, prepared.data(arithmetic), reply.dst);
    if (!is_failure(result.verdict) && !reply.later_dst.empty()) {
      auto later = judge_values(prepared, geometry, arithmetic, prepared.later_data(arithmetic),
                                reply.later_dst);
      later.reason = "with other weights than in the execution before: " + later.reason;
      if (is_failure(later.verdict)) return later;
    }
  }
  if (is_failure(result.verdict)) return result;
  std::string trouble;
  if (reply.bytes_written_outside > 0) {
    trouble = fmt::format("{} bytes between or around the elements of dst were written",
                          reply.bytes_written_outside);
  } else if (!reply.float_environment.empty()) {
    trouble = "execute left the floating-point environment changed: " + reply.float_environment;
  } else if (!bits_vary_by_run) {
    trouble = trouble_with_bits(prepared.source().problem, geometry.dst, trial, reply);
  }
  if (!trouble.empty()) {
    result.verdict = Verdict::kFail;
    result.tier = Tier::kSideEffects;
    result.reason = trouble;
  }
  return result;
}

}  // namespace concord::conformance
