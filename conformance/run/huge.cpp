// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/huge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/huge/background.h"
#include "conformance/huge/local_data.h"
#include "conformance/huge/probes.h"
#include "conformance/judge/trust.h"
#include "conformance/record/failure_text.h"
#include "conformance/run/judge_parts.h"
#include "conformance/run/judge_query.h"
#include "conformance/run/room.h"
#include "conformance/run/work.h"
#include "conformance/run/worker_loss.h"
#include "conformance/worker/huge_trial.h"
#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

bool has_gaps(const Tensor& tensor) { return element_count(tensor.dims) != element_span(tensor); }

bool has_few_elements(const Tensor& tensor) {
  return element_count(tensor.dims).value() <= kMostFarApart;
}

bool all_have_few_elements(const Problem& problem) {
  return has_few_elements(*problem.dst) &&
         std::all_of(std::begin(kInputs), std::end(kInputs), [&](Input input) {
           const Tensor* tensor = input_of(problem, input);
           return tensor == nullptr || has_few_elements(*tensor);
         });
}

// The places of all elements in the order of the tensor's axes.
std::vector<Extent> places_of(const Tensor& tensor) {
  std::vector<Extent> places{0};
  const Extents strides = strides_of(tensor);
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    std::vector<Extent> more;
    for (const Extent place : places) {
      for (Extent i = 0; i < tensor.dims[axis]; ++i) more.push_back(place + i * strides[axis]);
    }
    places = std::move(more);
  }
  return places;
}

HugeInput all_elements(const Tensor& tensor, const std::vector<double>& values) {
  HugeInput input{.has_gaps = has_gaps(tensor)};
  const auto places = places_of(tensor);
  for (std::size_t i = 0; i < places.size(); ++i) {
    input.elements.push_back({places[i], values[i]});
  }
  std::sort(input.elements.begin(), input.elements.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  return input;
}

std::vector<Extent> sorted_places(const Tensor& dst) {
  if (!has_gaps(dst)) return {};
  auto places = places_of(dst);
  std::sort(places.begin(), places.end());
  return places;
}

// The first failure of the executions, or the result of the first one; or what the backend did
// beside computing.
CaseResult judge_all(const TrialReply& reply, std::vector<CaseResult> executions, int threads) {
  if (auto broken = judge_statuses(reply, threads)) return *std::move(broken);
  for (CaseResult& each : executions) {
    if (is_failure(each.verdict)) return std::move(each);
  }
  CaseResult result = std::move(executions.front());
  auto trouble = trouble_with_conduct(reply);
  if (!trouble) return result;
  result.verdict = Verdict::kFail;
  result.tier = Tier::kSideEffects;
  result.reason = *std::move(trouble);
  return result;
}

// Few elements: all that they need is memory with holes.
CaseResult examine_far_apart(PreparedCase& prepared, const Asked& asked, Host& host,
                             const concord_arithmetic& arithmetic, int threads) {
  const Problem& problem = asked.complete;
  const PreparedCase::Data& data = prepared.data(arithmetic);
  std::vector<CaseResult> results;
  std::vector<std::vector<double>> values;
  HugeTrial trial{.problem = problem,
                  .threads = threads,
                  .dst_places = sorted_places(*problem.dst),
                  .look = [&](std::span<const std::byte> dst) {
                    results.push_back(judge_values(prepared, arithmetic, data, dst));
                    values.push_back(values_of(problem, *problem.dst, dst));
                  }};
  for (const Input input : kInputs) {
    if (input_of(problem, input) == nullptr) continue;
    trial.inputs.at(static_cast<std::size_t>(input)) =
        all_elements(in_reading_order(problem, input), data.inputs.of(input));
  }
  const auto reply = reply_of(host.execute(trial));
  if (!reply) return reply.why();
  CaseResult result = judge_all(*reply, std::move(results), threads);
  const bool may_vary = asked.reply.bits_vary_by_run || values.size() < 2;
  const auto is_same = [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  };
  if (is_failure(result.verdict) || may_vary ||
      std::equal(values[0].begin(), values[0].end(), values[1].begin(), is_same)) {
    return result;
  }
  result.verdict = Verdict::kFail;
  result.tier = Tier::kSideEffects;
  result.reason = "another execution with different garbage in dst and workspace gave other values";
  return result;
}

/// Judges one execution of a problem with local data.
class LocalJudge {
 public:
  LocalJudge(const Problem& problem, const LocalData& data, const concord_arithmetic& arithmetic,
             const reference::Geometry& geometry)
      : problem_(problem), data_(data), arithmetic_(arithmetic), geometry_(geometry) {}

  // What a wrong answer would have met.
  Trust trust() const {
    const OutputShape shape{.plane = data_.outputs.size(), .OW = data_.outputs.size()};
    return data_.is_exact ? assess_exact(problem_.dtype, arithmetic_, shape, data_.oracle.value)
                          : assess_interval(problem_.dtype, arithmetic_, geometry_.products(),
                                            shape, data_.oracle.value, data_.oracle.magnitude);
  }

  CaseResult judge(std::span<const std::byte> dst) const {
    const std::size_t bytes = size_of(problem_.dtype);
    std::vector<double> got;
    got.reserve(data_.outputs.size());
    for (const Extent place : data_.outputs) {
      got.push_back(load(problem_.dtype, &dst[static_cast<std::size_t>(place) * bytes]));
    }
    const Finding finding = find(got, data_.oracle.value, data_.oracle.magnitude, data_.oracle.low);
    CaseResult result = verdict(finding.passed() ? Verdict::kPass : Verdict::kFail,
                                data_.is_exact ? Tier::kExact : Tier::kInterval, {});
    result.elements = finding.elements;
    result.wrong = finding.wrong;
    if (std::isfinite(finding.margin)) result.margin = finding.margin;
    if (!finding.passed()) {
      const WrongElement& worst = finding.worst.value();
      result.failure = failure_at(data_.outputs[worst.index], worst);
      return result;
    }
    if (!has_gaps(*problem_.dst)) add_background(dst, result);
    return result;
  }

 private:
  Finding find(std::span<const double> got, std::span<const double> want,
               std::span<const double> magnitude, std::span<const double> low = {}) const {
    if (data_.is_exact) return judge_exact(problem_.dtype, arithmetic_, got, want);
    return judge_interval(problem_.dtype, arithmetic_, geometry_.products(), got, want, magnitude,
                          {}, low);
  }

  Failure failure_at(Extent place, const WrongElement& wrong) const {
    return {index_at(*problem_.dst, place),
            wrong.got,
            wrong.want,
            wrong.allowed,
            wrong.lowest,
            wrong.highest,
            accepted_text(problem_.dtype, arithmetic_, wrong),
            {}};
  }

  // All other outputs: those that nothing reaches.
  void add_background(std::span<const std::byte> dst, CaseResult& result) const {
    const Tensor& tensor = *problem_.dst;
    const Tensor in_order = dst_in_reading_order(problem_, tensor);
    const double largest =
        *std::max_element(data_.oracle.magnitude.begin(), data_.oracle.magnitude.end());
    // A tile of a bilinear algorithm mixes outputs.
    const auto accepts = [&](double got, double want) {
      return find({&got, 1}, {&want, 1}, {&largest, 1}).passed();
    };
    const Misfits misfits = find_misfits({.dtype = problem_.dtype,
                                          .channel_stride = strides_of(in_order)[1],
                                          .channels = data_.background,
                                          .outputs = data_.outputs},
                                         dst, accepts);
    if (interrupted()) throw Interrupted();
    result.elements = static_cast<std::size_t>(element_count(tensor.dims).value());
    result.wrong = misfits.count;
    if (misfits.count == 0) return;
    result.verdict = Verdict::kFail;
    result.reason = "of the outputs that no element of src but zeros reaches";
    const Finding finding = find({&misfits.got, 1}, {&misfits.want, 1}, {&largest, 1});
    result.failure = failure_at(misfits.first, finding.worst.value());
  }

  const Problem& problem_;
  const LocalData& data_;
  const concord_arithmetic& arithmetic_;
  const reference::Geometry& geometry_;
};

CaseResult examine_locally(PreparedCase& prepared, const Asked& asked, Host& host,
                           const concord_arithmetic& arithmetic, int threads) {
  const Problem& problem = asked.complete;
  const reference::Geometry& geometry = prepared.geometry()->discrete();
  LocalData data = make_local_data(problem, geometry, prepared.source().seed, arithmetic);
  if (interrupted()) throw Interrupted();
  const LocalJudge judge(problem, data, arithmetic, geometry);
  std::vector<CaseResult> results;
  HugeTrial trial{
      .problem = problem,
      .threads = threads,
      .dst_places = has_gaps(*problem.dst) ? data.outputs : std::vector<Extent>{},
      .look = [&](std::span<const std::byte> dst) { results.push_back(judge.judge(dst)); }};
  for (const Input input : kInputs) {
    trial.inputs.at(static_cast<std::size_t>(input)).elements = std::move(data.of(input));
  }
  const auto reply = reply_of(host.execute(trial));
  if (!reply) return reply.why();
  CaseResult result = judge_all(*reply, std::move(results), threads);
  const Trust trust = judge.trust();
  if (std::isfinite(trust.resolution)) result.resolution = trust.resolution;
  if (is_failure(result.verdict) || trust.can_reject()) return result;
  result.verdict = Verdict::kVacuous;
  result.reason = "the case " + trust.describe();
  return result;
}

// Why the case cannot be judged in parts, if it cannot.
std::optional<std::string> why_not_locally(const PreparedCase& prepared, const Problem& problem) {
  const bool is_sum = std::holds_alternative<reference::Geometry>(prepared.geometry()->form);
  if (!is_sum || prepared.source().fill != Fill::kIntegers) {
    return "of tensors that span more than 4 GiB with more than 16,384 elements, only discrete "
           "convolutions of integers are judged";
  }
  if (has_gaps(*problem.dst) && !has_few_elements(*problem.dst)) {
    return fmt::format("dst={} has gaps and more than 16,384 elements", to_string(*problem.dst));
  }
  return std::nullopt;
}

}  // namespace

CaseResult examine_huge(PreparedCase& prepared, const Asked& asked, Host& host,
                        const ExamineOptions& options) {
  const Problem& problem = asked.complete;
  const concord_arithmetic arithmetic = options.arithmetic.value_or(asked.reply.arithmetic);
  const auto unable = [&](std::string why) {
    return record(verdict(Verdict::kHarnessError, Tier::kNone, std::move(why)), asked, arithmetic);
  };
  if (auto settled = settle(prepared, asked, arithmetic)) {
    return record(*std::move(settled), asked, std::nullopt);
  }
  static const std::size_t memory = usable_memory();
  if (auto why = lacks_huge_room(problem, *problem.dst, memory)) return unable(*std::move(why));
  if (auto why = exceeds_work(problem, *prepared.geometry(), options.max_work)) {
    return unable(*std::move(why));
  }
  const bool is_few = all_have_few_elements(problem);
  if (!is_few) {
    if (auto why = why_not_locally(prepared, problem)) return unable(*std::move(why));
  }
  const auto examine = is_few ? examine_far_apart : examine_locally;
  return record(examine(prepared, asked, host, arithmetic, options.threads), asked, arithmetic);
}

}  // namespace concord::conformance
