// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/judge_query.h"

#include <fmt/format.h>

#include "conformance/arithmetic/arithmetic.h"

namespace concord::conformance {
namespace {

// What counts of an answer, in one line.
std::string summary_of(const QueryReply& reply) {
  if (reply.status != CONCORD_OK) return status_text(reply.status, {});
  const std::string arithmetic =
      find_unknown(reply.arithmetic) ? "an unknown class" : print(reply.arithmetic);
  return fmt::format("CONCORD_OK, dst {}, {}{}{}", to_string(Tensor{reply.dst_dims, {}}),
                     arithmetic, reply.same_bits_any_threads ? ", same_bits_any_threads" : "",
                     reply.bits_vary_by_run ? ", bits_vary_by_run" : "");
}

}  // namespace

CaseResult verdict(Verdict verdict, Tier tier, std::string reason) {
  CaseResult result;
  result.verdict = verdict;
  result.tier = tier;
  result.reason = std::move(reason);
  return result;
}

std::string status_text(int status, const std::string& reason) {
  constexpr const char* kNames[] = {"CONCORD_OK", "CONCORD_UNSUPPORTED", "CONCORD_INVALID",
                                    "CONCORD_FAULT"};
  const std::string name =
      status >= 0 && status < 4 ? kNames[status] : fmt::format("status {}, which is none", status);
  return reason.empty() ? name : fmt::format("{} ({})", name, reason);
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
                   fmt::format("inferred dst {}, want {}, or a refusal: {}",
                               to_string(Tensor{reply.dst_dims, {}}),
                               to_string(Tensor{*question.dst_dims, {}}), question.why));
  }
  return verdict(Verdict::kPass, Tier::kStatus,
                 (reply.status == CONCORD_OK ? "served with the right shape; the computation is "
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

std::optional<CaseResult> judge_unknown(const UnknownNumber& unknown, const UnknownReply& reply) {
  if (reply.status == CONCORD_UNSUPPORTED || reply.status == CONCORD_INVALID) return std::nullopt;
  return verdict(
      Verdict::kFail, Tier::kStatus,
      fmt::format("query answered {} to this problem with {} {}, which no version of the plugin "
                  "ABI has: CONCORD_UNSUPPORTED declines what is unknown",
                  status_text(reply.status, reply.reason), unknown.name, unknown.number));
}

}  // namespace concord::conformance
