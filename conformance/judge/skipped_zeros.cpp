// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/skipped_zeros.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/judge/factors.h"

namespace concord::conformance {
namespace {

using Values = std::vector<double>;

double sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

template <class Map>
Values each(const Values& values, Map map) {
  Values mapped(values.size());
  std::transform(values.begin(), values.end(), mapped.begin(), map);
  return mapped;
}

// No product of it has a weight.
bool is_gradient_by_weights(const reference::Resolution& resolution) {
  const auto* gradient = std::get_if<reference::CntkGradient>(&resolution.form);
  return gradient != nullptr && gradient->by_weights;
}

}  // namespace

bool may_skip_zero_weights(const reference::Resolution& resolution,
                           const concord_arithmetic& arithmetic) {
  return arithmetic.zero_weights == CONCORD_ZERO_WEIGHTS_SKIPPED && resolution.is_sum_of_products &&
         !std::holds_alternative<reference::Rearrangement>(resolution.form) &&
         !is_gradient_by_weights(resolution);
}

SkippedZeros skip_zero_weights(const Problem& problem, const reference::Resolution& resolution,
                               const Inputs& inputs) {
  const auto is = [](bool holds) { return holds ? 1.0 : 0.0; };
  const auto finite = [](double v) { return std::isfinite(v) ? v : 0.0; };
  const auto finite_sign = [](double v) { return std::isfinite(v) ? sign_of(v) : 0.0; };
  const auto infinite_sign = [](double v) { return std::isinf(v) ? sign_of(v) : 0.0; };
  const bool is_gradient = has_diff_dst(problem.operation());
  const auto& weights = inputs.weights;
  const auto& bias = inputs.bias;
  const auto& src = factors_of(resolution, inputs).src;
  const Values none(bias.size(), 0.0);
  // The same sums of numbers that stand for those of the inputs: how many products are of a kind.
  const auto count = [&](const Values& of_src, const Values& of_weights, const Values& of_bias) {
    return is_gradient
               ? reference::evaluate(problem, resolution, {{}, of_weights, of_bias, of_src})
               : reference::evaluate(problem, resolution, {of_src, of_weights, of_bias, {}});
  };

  const auto met = count(each(src, [&](double v) { return is(!std::isfinite(v)); }),
                         each(weights, [&](double v) { return is(v == 0); }), none);
  SkippedZeros skipped;
  skipped.oracle = count(each(src, finite), each(weights, finite), bias);
  // Products that are infinite: an infinity by anything but 0 and NaN.
  const auto infinite_src = count(each(src, infinite_sign), each(weights, sign_of), none);
  const auto infinite_weights = count(each(src, finite_sign), each(weights, infinite_sign), none);
  // Those that are NaN, though the weight is not 0.
  const auto nan_src = count(each(src, [&](double v) { return is(std::isnan(v)); }),
                             each(weights, [&](double v) { return is(v != 0); }), none);
  const auto nan_weights = count(Values(src.size(), 1.0),
                                 each(weights, [&](double v) { return is(std::isnan(v)); }), none);
  const auto zero_src = count(each(src, [&](double v) { return is(v == 0); }),
                              each(weights, [&](double v) { return is(std::isinf(v)); }), none);
  for (std::size_t i = 0; i < met.value.size(); ++i) {
    skipped.differs.push_back(met.value[i] != 0);
    const double infinite = infinite_src.magnitude[i] + infinite_weights.magnitude[i];
    const double net = infinite_src.value[i] + infinite_weights.value[i];
    double& value = skipped.oracle.value[i];
    if (infinite + net > 0) value += std::numeric_limits<double>::infinity();
    if (infinite - net > 0) value -= std::numeric_limits<double>::infinity();
    if (nan_src.value[i] + nan_weights.value[i] + zero_src.value[i] > 0) value = std::nan("");
  }
  return skipped;
}

reference::Oracle wanted_with(const SkippedZeros& skipped, const reference::Oracle& plain,
                              std::span<const double> got) {
  reference::Oracle wanted = plain;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!skipped.differs[i] || std::isnan(got[i])) continue;
    wanted.value[i] = skipped.oracle.value[i];
    wanted.magnitude[i] = skipped.oracle.magnitude[i];
    if (!wanted.low.empty()) wanted.low[i] = skipped.oracle.low[i];
  }
  return wanted;
}

}  // namespace concord::conformance
