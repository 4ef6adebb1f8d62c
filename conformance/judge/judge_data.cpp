// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/judge/error_bound.h"
#include "conformance/judge/factors.h"
#include "conformance/judge/judge_lone.h"
#include "conformance/judge/judge_recorded.h"
#include "conformance/judge/judge_special.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/judge/skipped_zeros.h"
#include "conformance/judge/tile_scale.h"

namespace concord::conformance {
namespace {

bool has_statistics(const Expectation& e) {
  return has_random_signs(e.fill) && has_error_model(e.dtype, e.arithmetic) &&
         e.geometry.is_sum_of_products;
}

double largest_of(const Expectation& e) {
  const Factors factors = factors_of(e.geometry, e.inputs);
  return largest_term(factors.src, factors.weights, e.inputs.bias);
}

// The fill of the continuous layer has no zeros: even ones of many products add up to more than
// accumulators of 16 bits, or demoted sums of pixels, have all integers of.
bool has_exact_sums(const Expectation& e) {
  if (!std::holds_alternative<reference::ContinuousGeometry>(e.geometry.form)) return true;
  const auto sum = static_cast<double>(exact_sum_of_layer(e.dtype, e.arithmetic));
  const double unit = e.fill == Fill::kSubnormal ? subnormal_unit(e.dtype, e.arithmetic) : 1;
  const auto& S = e.oracle.magnitude;
  return std::all_of(S.begin(), S.end(), [&](double s) { return s <= sum * unit; });
}

bool is_exact(const Expectation& e) {
  return is_exact(e.fill, e.geometry, e.arithmetic) && has_exact_sums(e);
}

// The bound of a class that rounds its inputs, or multiplies sums of them, is that of one product
// of two inputs: docs/numerics.md#composed-operations.
bool is_bounded(const Expectation& e) {
  return e.geometry.is_sum_of_products || is_exact(e) ||
         (e.arithmetic.input_precision == CONCORD_INPUT_EXACT && !is_bilinear(e.arithmetic));
}

// Why f64 results cannot be judged, if they cannot: of whatever has no better reference nothing is
// failed.
std::optional<std::string> why_no_reference(const Expectation& e) {
  if (e.dtype != Dtype::kF64 || e.recorded != nullptr) return std::nullopt;
  if (!e.geometry.judges_f64()) {
    return "the reference computes this operation in f64 itself, so it judges no f64";
  }
  const auto are_finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  };
  const Inputs& in = e.inputs;
  if (are_finite(e.oracle.magnitude) || !are_finite(in.src) || !are_finite(in.weights) ||
      !are_finite(in.bias) || !are_finite(in.diff_dst)) {
    return std::nullopt;
  }
  return "sums of the inputs' magnitudes overflow f64, and the reference has no larger numbers";
}

// Why a bilinear class says nothing about any element, if so. Where a tile overflows, results of
// the whole of it may be NaN or, where sums stop at the largest number, any number. The criterion
// of special values knows of the former.
std::optional<std::string> why_no_tiles(const Expectation& e) {
  if (!is_bilinear(e.arithmetic) || e.recorded != nullptr || !e.geometry.is_sum_of_products ||
      std::holds_alternative<reference::Rearrangement>(e.geometry.form)) {
    return std::nullopt;
  }
  const Accumulator accumulator = accumulator_of(e.dtype, e.arithmetic);
  const bool stops = accumulator.toward_zero || accumulator.faithful;
  if (has_special_results(e.fill) && !stops) return std::nullopt;
  if (!tiles_may_exceed(accumulator.largest, e.geometry, e.inputs)) return std::nullopt;
  return "sums inside the tiles of a bilinear algorithm may overflow the accumulator";
}

// Why intervals say nothing about a composed operation, if so.
std::optional<std::string> why_no_bound(const Expectation& e) {
  if (e.recorded != nullptr || is_bounded(e)) return std::nullopt;
  return "no error bound is derived for this operation in the arithmetic class " +
         print(e.arithmetic);
}

// Why rounding away from zero leaves nothing of a sum, if so: so many additions may enlarge it
// beyond the largest number, and infinities of both signs add up to NaN.
std::optional<std::string> why_no_sums(const Expectation& e) {
  const Accumulator accumulator = accumulator_of(e.dtype, e.arithmetic);
  if (!accumulator.faithful || e.recorded != nullptr || is_exact(e) ||
      has_special_results(e.fill)) {
    return std::nullopt;
  }
  const double n = count_roundings(e.dtype, e.arithmetic, e.geometry.products);
  double largest = 0;
  for (const double S : e.oracle.magnitude) largest = std::max(largest, S);
  const double enlarged = n * std::log1p(accumulator.unit_roundoff);
  if (gamma(n, accumulator.unit_roundoff) < 1 ||
      enlarged + std::log(largest) < std::log(accumulator.largest)) {
    return std::nullopt;
  }
  return "rounding away from zero in so many additions may overflow the accumulator";
}

bool is_discrete(const Expectation& e) {
  return std::holds_alternative<reference::Geometry>(e.geometry.form);
}

// Moments of the transformed values of a tile are known to be small only where squares are a third
// of the largest on average: of many values spread evenly.
// docs/numerics.md#norms-of-a-bilinear-class
double uneven_tiles(const Expectation& e) {
  constexpr Extent kMany = 9;
  constexpr double kUneven = 5;
  const bool even = e.fill == Fill::kUniform && is_discrete(e) &&
                    reference::volume(e.geometry.discrete().K) >= kMany &&
                    reference::volume(e.geometry.discrete().I) >= kMany;
  return even ? 1 : kUneven;
}

// How many axes a bilinear algorithm transforms.
std::size_t transformed_axes(const Expectation& e) {
  if (!is_discrete(e)) return 2;
  const auto& K = e.geometry.discrete().K;
  return static_cast<std::size_t>(
      std::count_if(K.begin(), K.end(), [](Extent k) { return k > 1; }));
}

// Of these, those whose kernel has two taps.
std::size_t pair_axes(const Expectation& e) {
  if (!is_discrete(e)) return 0;
  const auto& K = e.geometry.discrete().K;
  return static_cast<std::size_t>(std::count(K.begin(), K.end(), Extent{2}));
}

Trust assess_special_values(const Expectation& e) {
  if (is_discrete(e)) {
    return assess_special(e.dtype, e.arithmetic, error_bound(e), e.geometry.discrete(), e.shape,
                          e.inputs.weights, e.oracle.value, error_magnitudes(e, e.oracle));
  }
  return assess_special(e.dtype, e.arithmetic, error_bound(e), e.shape, e.oracle.value,
                        error_magnitudes(e, e.oracle));
}

Trust assess_by_intervals(const Expectation& e) {
  return assess_bounded(e.dtype, e.arithmetic, e.shape, error_bound(e), e.oracle.value,
                        error_magnitudes(e, e.oracle));
}

Finding judge_special_values(const Expectation& e, std::span<const double> got,
                             const reference::Oracle& oracle) {
  if (is_discrete(e)) {
    return judge_special(e.dtype, e.arithmetic, error_bound(e), e.geometry.discrete(),
                         e.inputs.weights, got, oracle.value, error_magnitudes(e, oracle),
                         bias_of(e), oracle.low);
  }
  return judge_special(e.dtype, e.arithmetic, error_bound(e), got, oracle.value,
                       error_magnitudes(e, oracle), {}, oracle.low);
}

// The same, where what is not finite may have met a weight of 0 and been skipped.
Finding judge_skipped(const Expectation& e, std::span<const double> got) {
  const SkippedZeros skipped = skip_zero_weights(*e.problem, e.geometry, e.inputs);
  return judge_special_values(e, got, wanted_with(skipped, e.oracle, got));
}

Finding find_wrong(const Expectation& e, bool exact, std::span<const double> got) {
  if (e.recorded != nullptr) return judge_recorded(e, got);
  if (const auto lone = lone_products(e)) {
    return judge_lone(*lone, got, e.oracle.value, e.oracle.magnitude, e.oracle.low);
  }
  if (exact) return judge_exact(e.dtype, e.arithmetic, got, e.oracle.value, bias_of(e));
  if (has_special_results(e.fill)) {
    Finding finding = judge_special_values(e, got, e.oracle);
    const bool skips = may_skip_zero_weights(e.geometry, e.arithmetic) && e.problem != nullptr;
    return finding.passed() || !skips ? finding : judge_skipped(e, got);
  }
  return judge_interval(e.dtype, e.arithmetic, error_bound(e), got, e.oracle.value,
                        error_magnitudes(e, e.oracle), bias_of(e), e.oracle.low);
}

TensorErrors find_errors(const Expectation& e, std::span<const double> got) {
  return {e.geometry.products,
          sum_errors(error_model(e), got, e.oracle.value, e.oracle.magnitude, e.oracle.low)};
}

}  // namespace

ChannelBias bias_of(const Expectation& e) {
  if (!is_discrete(e) || e.inputs.bias.empty()) return {};
  const auto& O = e.geometry.discrete().O;
  return {e.inputs.bias, static_cast<std::size_t>(std::max<Extent>(1, reference::volume(O)))};
}

// What is only moved, or meets a net, is exact data like any other.
std::optional<LoneProducts> lone_products(const Expectation& e) {
  if (e.fill != Fill::kSparse || !e.geometry.is_sum_of_products ||
      std::holds_alternative<reference::Rearrangement>(e.geometry.form)) {
    return std::nullopt;
  }
  double largest = 0;
  for (const double value : e.oracle.value) largest = std::max(largest, std::fabs(value));
  return LoneProducts(e.dtype, e.arithmetic, transformed_axes(e), largest);
}

ErrorBound error_bound(const Expectation& e) {
  // A composed operation's count of roundings has its biases in it.
  SumDetails details{!e.geometry.is_sum_of_products || !e.inputs.bias.empty()};
  if (e.arithmetic.input_precision != CONCORD_INPUT_EXACT) {
    const Factors factors = factors_of(e.geometry, e.inputs);
    details.largest_inputs = largest_magnitude(factors.src) + largest_magnitude(factors.weights);
  }
  ErrorBound bound = error_bound(e.dtype, e.arithmetic, e.geometry.products, details);
  if (is_bilinear(e.arithmetic) && e.geometry.is_sum_of_products) {
    const Accumulator accumulator = accumulator_of(e.dtype, e.arithmetic);
    const bool flushes = e.arithmetic.flushes_subnormals != 0;
    bound.absolute += lost_in_transforms(e.geometry, e.inputs,
                                         flushes ? 2 * accumulator.normal : accumulator.smallest);
  }
  return e.geometry.stores == 0 ? bound
                                : with_stores(bound, e.dtype, e.arithmetic, e.geometry.stores);
}

// What is too large for any product makes a tile infinite, and no other value of it uncertain.
std::vector<double> error_magnitudes(const Expectation& e, const reference::Oracle& oracle) {
  std::vector<double> raised = oracle.magnitude;
  if (!is_bilinear(e.arithmetic) || !e.geometry.is_sum_of_products || e.fill == Fill::kOverflow) {
    return raised;
  }
  const double least = tile_scale(e.geometry, e.inputs).magnitude;
  const ChannelBias bias = bias_of(e);
  for (std::size_t i = 0; i < raised.size(); ++i) {
    raised[i] = std::max(raised[i], least + std::fabs(bias.of(i)));
  }
  return raised;
}

// Each output channel of a discrete operation has weights of its own.
ErrorModel error_model(const Expectation& e) {
  ErrorModel model{e.dtype, e.arithmetic, e.geometry.products, largest_of(e),
                   !e.inputs.bias.empty()};
  model.depth = e.geometry.products;
  model.axes = transformed_axes(e);
  model.pairs = pair_axes(e);
  if (is_bilinear(e.arithmetic)) {
    model.tile_squares = uneven_tiles(e) * tile_scale(e.geometry, e.inputs).squares;
  }
  if (!is_discrete(e)) return model;
  model.depth = e.geometry.discrete().ICG();
  if (accumulator_of(e.dtype, e.arithmetic).faithful) return model;
  model.channels = e.shape.OC;
  model.plane = e.shape.plane;
  return model;
}

Trust assess_data(const Expectation& e) {
  if (e.recorded != nullptr) return assess_recorded(e);
  if (const auto lone = lone_products(e)) {
    return assess_lone(e.dtype, *lone, e.shape, e.oracle.value, e.oracle.magnitude);
  }
  if (is_exact(e)) {
    return assess_exact(e.dtype, e.arithmetic, e.shape, e.oracle.value);
  }
  if (has_special_results(e.fill)) return assess_special_values(e);
  Trust trust = assess_by_intervals(e);
  if (trust.can_reject() || !has_statistics(e)) return trust;
  Trust statistical =
      assess_statistical(error_model(e), e.shape, e.oracle.value, e.oracle.magnitude);
  return statistical.can_reject() ? statistical : trust;
}

DataVerdict judge_data(const Expectation& e, const Trust& trust, std::span<const double> got) {
  const bool exact = e.recorded != nullptr ? is_exact_recorded(e) : is_exact(e);
  DataVerdict judged;
  auto why = why_no_reference(e);
  if (!why) why = why_no_tiles(e);
  if (!why) why = why_no_sums(e);
  if (!why) why = why_no_bound(e);
  if (why) {
    judged.verdict = Verdict::kVacuous;
    judged.tier = Tier::kInterval;
    judged.reason = *std::move(why);
    return judged;
  }
  judged.tier = exact                         ? Tier::kExact
                : has_special_results(e.fill) ? Tier::kSpecial
                                              : Tier::kInterval;
  judged.finding = find_wrong(e, exact, got);
  const Finding& finding = judged.finding;
  if (!finding.passed()) {
    judged.verdict = Verdict::kFail;
    judged.reason = fmt::format("{} of {} elements are wrong", finding.wrong, finding.elements);
    return judged;
  }
  if (!exact && has_statistics(e)) {
    judged.errors = find_errors(e, got);
    const StatisticalFinding statistics =
        judge_statistical(e.dtype, e.arithmetic, judged.errors->sums);
    if (!statistics.passed()) {
      judged.verdict = Verdict::kFail;
      judged.tier = Tier::kStatistical;
      judged.reason = describe(statistics);
      return judged;
    }
    if (finding.vacuous) judged.tier = Tier::kStatistical;
  }
  if (!trust.can_reject()) {
    judged.verdict = Verdict::kVacuous;
    judged.reason = finding.vacuous ? "the arithmetic class has no error bound for so many products"
                                    : "the case " + trust.describe();
  }
  return judged;
}

}  // namespace concord::conformance
