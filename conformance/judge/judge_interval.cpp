// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// The largest sum of magnitudes without the bias, and each element's own bias.
std::vector<double> normwise_before_bias(std::span<const double> magnitude,
                                         const ChannelBias& bias) {
  double largest = 0;
  for (std::size_t i = 0; i < magnitude.size(); ++i) {
    largest = std::max(largest, magnitude[i] - std::fabs(bias.of(i)));
  }
  std::vector<double> scale(magnitude.size());
  for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = largest + std::fabs(bias.of(i));
  return scale;
}

}  // namespace

std::vector<double> normwise(Dtype dtype, const concord_arithmetic& arithmetic,
                             std::span<const double> magnitude, const ChannelBias& bias) {
  if (rounds_before_bias(dtype, arithmetic)) return normwise_before_bias(magnitude, bias);
  const auto largest = std::max_element(magnitude.begin(), magnitude.end());
  return std::vector<double>(magnitude.size(), largest == magnitude.end() ? 0 : *largest);
}

Finding judge_interval(Dtype dtype, const concord_arithmetic& arithmetic, const ErrorBound& bound,
                       std::span<const double> got, std::span<const double> want,
                       std::span<const double> magnitude, const ChannelBias& bias,
                       std::span<const double> low) {
  CONCORD_CHECK(magnitude.size() == want.size()) << magnitude.size() << " and " << want.size();
  const Acceptance acceptance(dtype, arithmetic, bound);
  if (!is_bilinear(arithmetic)) return acceptance.judge(got, want, magnitude, bias, low);
  return acceptance.judge(got, want, normwise(dtype, arithmetic, magnitude, bias), bias, low);
}

Finding judge_interval(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       std::span<const double> got, std::span<const double> want,
                       std::span<const double> magnitude, const ChannelBias& bias,
                       std::span<const double> low) {
  return judge_interval(dtype, arithmetic, error_bound(dtype, arithmetic, products), got, want,
                        magnitude, bias, low);
}

}  // namespace concord::conformance
