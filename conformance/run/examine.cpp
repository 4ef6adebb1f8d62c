// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <new>

#include "conformance/judge/arithmetic.h"
#include "conformance/oracle/fast_oracle.h"
#include "conformance/run/leak.h"
#include "conformance/run/lowering.h"
#include "conformance/run/room.h"
#include "conformance/run/tensor_images.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

CaseResult verdict(Verdict verdict, Tier tier, std::string reason) {
  CaseResult result;
  result.verdict = verdict;
  result.tier = tier;
  result.reason = std::move(reason);
  return result;
}

CaseResult of_casualty(const Casualty& casualty) {
  const bool hang = casualty.kind == Casualty::Kind::kHang;
  return verdict(hang ? Verdict::kHang : Verdict::kCrash, Tier::kProcess, describe(casualty));
}

// The first of the alternatives, or the verdict that one of the other two means.
template <class Reply>
std::optional<CaseResult> no_reply(const std::variant<Reply, LoadFailure, Casualty>& answer) {
  if (const auto* casualty = std::get_if<Casualty>(&answer)) return of_casualty(*casualty);
  if (const auto* failure = std::get_if<LoadFailure>(&answer)) {
    return verdict(Verdict::kCrash, Tier::kProcess, failure->detail);
  }
  return std::nullopt;
}

std::string status_text(int status, const std::string& reason) {
  constexpr const char* kNames[] = {"CONCORD_OK", "CONCORD_UNSUPPORTED", "CONCORD_INVALID",
                                    "CONCORD_FAULT"};
  const std::string name =
      status >= 0 && status < 4 ? kNames[status] : fmt::format("status {}, which is none", status);
  return reason.empty() ? name : fmt::format("{} ({})", name, reason);
}

// What a query's status means for a problem that the specification forbids.
CaseResult judge_refusal(const QueryReply& reply, const Refusal& refusal) {
  if (reply.status == CONCORD_INVALID) return verdict(Verdict::kPass, Tier::kStatus, {});
  if (reply.status == CONCORD_UNSUPPORTED) {
    return verdict(Verdict::kDeclined, Tier::kNone, reply.reason);
  }
  return verdict(Verdict::kFail, Tier::kStatus,
                 fmt::format("query answered {} to a problem that is invalid: {}",
                             status_text(reply.status, reply.reason), refusal.detail));
}

// What a query's answer means for a valid problem, where it settles the case.
std::optional<CaseResult> judge_query(const QueryReply& reply, const Tensor& dst) {
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

std::optional<CaseResult> judge_statuses(const TrialReply& reply) {
  for (const auto& [call, status] :
       {std::pair{"prepare", reply.prepare_status}, std::pair{"execute", reply.execute_status}}) {
    if (status == CONCORD_OK) continue;
    const bool declined = status == CONCORD_UNSUPPORTED || status == CONCORD_INVALID;
    return verdict(declined ? Verdict::kClaimBroken : Verdict::kFail, Tier::kStatus,
                   fmt::format("{} answered {} after query had answered CONCORD_OK", call,
                               status_text(status, reply.reason)));
  }
  return std::nullopt;
}

OutputShape shape_of(const Problem& problem, const Result<reference::Resolution>& resolved) {
  if (!resolved) return {};
  const auto* discrete = std::get_if<reference::Geometry>(&resolved->form);
  return output_shape(dst_in_reading_order(problem, Tensor{resolved->dst.dims, {}}).dims,
                      discrete != nullptr ? discrete->G : 1);
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
  if (!finding.passed()) {
    const WrongElement& worst = finding.worst.value();
    result.failure = Failure{own_index(problem, geometry.dst, worst.index), worst.got, worst.want,
                             worst.allowed};
    const std::string leak = describe_leak(problem, geometry.dst, result.failure->element, dst);
    if (!leak.empty()) result.reason += (result.reason.empty() ? "" : "; ") + leak;
  }
  return result;
}

// A zero-size dst has no values to judge: the inferred shape and the statuses were the case.
CaseResult judge_reply(PreparedCase& prepared, const reference::Resolution& geometry,
                       const concord_arithmetic& arithmetic, bool bits_vary_by_run,
                       const TrialReply& reply) {
  if (auto broken = judge_statuses(reply)) return *broken;
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
  } else if (!reply.same_bits_again && !bits_vary_by_run) {
    trouble = "a second execution with other garbage in dst and workspace gave other bits";
  }
  if (!trouble.empty()) {
    result.verdict = Verdict::kFail;
    result.tier = Tier::kSideEffects;
    result.reason = trouble;
  }
  return result;
}

// What counts of an answer, in one line.
std::string summary_of(const QueryReply& reply) {
  if (reply.status != CONCORD_OK) return status_text(reply.status, {});
  const std::string arithmetic =
      find_unknown(reply.arithmetic) ? "an unknown class" : print(reply.arithmetic);
  return fmt::format("CONCORD_OK, dst {}, {}", to_string(Tensor{reply.dst_dims, {}}), arithmetic);
}

// Asks again what `first` answered: one who relies on an answer must get the same one again.
std::optional<CaseResult> judge_second_query(const Problem& problem, Host& host,
                                             const QueryReply& first) {
  const auto queried = host.query(problem);
  if (auto lost = no_reply(queried)) return lost;
  const std::string before = summary_of(first);
  const std::string now = summary_of(std::get<QueryReply>(queried));
  if (now == before) return std::nullopt;
  return verdict(Verdict::kFail, Tier::kStatus,
                 fmt::format("query answered {} and then, to the same problem, {}", before, now));
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
    if (auto changed = judge_second_query(asked.complete, host, asked.reply)) return *changed;
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
    later = images_of(problem, prepared.later_data(arithmetic).inputs);
  }
  const auto tried = host.execute({.problem = asked.complete,
                                   .src = images.src,
                                   .weights = images.weights,
                                   .bias = images.bias,
                                   .diff_dst = images.diff_dst,
                                   .threads = threads,
                                   .constant_weights = !prepared.changes_weights(),
                                   .executions = 2,
                                   .later_weights = later.weights,
                                   .later_bias = later.bias});
  if (auto lost = no_reply(tried)) return *lost;
  return judge_reply(prepared, *prepared.geometry(), arithmetic, asked.reply.bits_vary_by_run,
                     std::get<TrialReply>(tried));
}

CaseResult examine_unprotected(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const auto answer = ask(prepared, host, options.lower);
  if (const auto* lost = std::get_if<CaseResult>(&answer)) return *lost;
  const Asked& asked = std::get<Asked>(answer);
  const QueryReply& reply = asked.reply;
  if (!prepared.geometry()) return judge_refusal(reply, prepared.geometry().why());
  const concord_arithmetic arithmetic = options.arithmetic.value_or(reply.arithmetic);

  CaseResult result;
  if (auto settled = judge_query(reply, *asked.complete.dst)) {
    result = *settled;
  } else if (const auto unknown = find_unknown(arithmetic)) {
    result = verdict(Verdict::kFail, Tier::kStatus, "query declared no arithmetic: " + *unknown);
  } else if (auto too_large = lacks_room(asked.complete, *asked.complete.dst, physical_memory())) {
    result = verdict(Verdict::kHarnessError, Tier::kNone, *std::move(too_large));
  } else {
    result = try_and_judge(prepared, host, asked, arithmetic, options.threads);
    result.arithmetic = print(arithmetic);
  }
  result.lowered = asked.lowered;
  result.adapter_part = reply.adapter_part;
  result.implementation = reply.implementation;
  return result;
}

// Bits, since a NaN is not equal to itself.
bool have_same_bits(const Inputs& a, const Inputs& b) {
  return std::all_of(std::begin(kInputs), std::end(kInputs), [&](Input input) {
    const auto &x = a.of(input), &y = b.of(input);
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  });
}

}  // namespace

PreparedCase::PreparedCase(const Case& source, int oracle_threads)
    : source_(source),
      geometry_(reference::resolve(source.problem)),
      shape_(shape_of(source.problem, geometry_)),
      oracle_threads_(oracle_threads) {}

const PreparedCase::Data& PreparedCase::data(const concord_arithmetic& arithmetic) {
  // Random reals leave room for sums in f16; nothing else of the class matters to them.
  const bool half = arithmetic.accumulator == CONCORD_ACCUMULATE_F16;
  const std::string reals = half ? "f16" : "";
  const std::string key = has_random_signs(source_.fill) ? reals : print(arithmetic);
  if (const auto known = data_.find(key); known != data_.end()) return *known->second;
  return slot_of(data_, key, make_inputs(arithmetic, source_.seed));
}

const PreparedCase::Data& PreparedCase::slot_of(DataOfClasses& known, const std::string& key,
                                                Inputs inputs) {
  for (const auto& [other, data] : known) {
    if (have_same_bits(data->inputs, inputs)) return *(known[key] = data);
  }
  auto oracle = evaluate(inputs);
  return *(known[key] = std::make_shared<Data>(Data{std::move(inputs), std::move(oracle)}));
}

Inputs PreparedCase::make_inputs(const concord_arithmetic& arithmetic, std::uint64_t seed) const {
  if (const Recorded* recorded = source_.recorded.get()) {
    return {recorded->src, recorded->weights, recorded->bias, recorded->diff_dst};
  }
  return fill_inputs(source_.fill, seed, source_.problem, *geometry_, arithmetic);
}

reference::Oracle PreparedCase::evaluate(const Inputs& inputs) {
  ++evaluations_;
  const Problem& problem = source_.problem;
  const auto* discrete = std::get_if<reference::Geometry>(&geometry_->form);
  auto oracle =
      discrete != nullptr
          ? evaluate_fast(problem, *discrete, inputs.src, inputs.weights, inputs.bias,
                          oracle_threads_)
          : reference::evaluate(problem, *geometry_,
                                {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
  if (source_.recorded != nullptr) oracle.value = source_.recorded->dst;
  return oracle;
}

bool PreparedCase::changes_weights() const {
  return source_.fill == Fill::kIntegers && source_.seed % 2 == 1 &&
         has_weights(source_.problem.operation());
}

const PreparedCase::Data& PreparedCase::later_data(const concord_arithmetic& arithmetic) {
  const Inputs& first = data(arithmetic).inputs;
  const std::string key = print(arithmetic);
  if (const auto known = later_data_.find(key); known != later_data_.end()) return *known->second;
  Inputs inputs = make_inputs(arithmetic, source_.seed + 1);
  inputs.src = first.src;
  inputs.diff_dst = first.diff_dst;
  return slot_of(later_data_, key, std::move(inputs));
}

Expectation PreparedCase::expectation(const concord_arithmetic& arithmetic,
                                      const Data& data) const {
  return {source_.fill, source_.problem.dtype, arithmetic,  *geometry_,
          shape_,       data.inputs,           data.oracle, source_.recorded.get()};
}

const Trust& PreparedCase::trust(const concord_arithmetic& arithmetic) {
  auto& slot = trust_[print(arithmetic)];
  if (slot == nullptr) {
    slot = std::make_unique<Trust>(assess_data(expectation(arithmetic, data(arithmetic))));
  }
  return *slot;
}

CaseResult examine(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const auto begin = Clock::now();
  CaseResult result;
  try {
    result = examine_unprotected(prepared, host, options);
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
