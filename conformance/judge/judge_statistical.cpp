// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_statistical.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/judge/error_bound.h"
#include "conformance/judge/late_bias.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// Moments of order 2q of z and of its sums, with q = 8: P <= 2 exp(-2q) = 2.3e-7 at (2q)^2 and 2q.
constexpr double kMeanSquareOfAnyTensor = 256;
constexpr double kBiasLimit = 16;
// By Chebyshev, for tensors so large that their mean hardly varies: P(mean z^2 > 1 + t) is at most
// 9 / (T t^2), and this is the probability that we accept.
constexpr double kFalseAlarm = 1e-6;
// More bits than the oracle has nobody can show.
constexpr double kMostBits = 53;

// What does not depend on the element.
struct Scale {
  double slope;  // sigma = slope * sqrt(Q) + offset
  double offset;
  bool has_drift;   // errors have mean zero, so that a drift means something
  bool has_growth;  // and that, too, in the direction of the result
};

Scale scale_of(Dtype dtype, const concord_arithmetic& arithmetic, Extent products) {
  const Accumulator accumulator = accumulator_of(arithmetic);
  const Demotion demotion = demotion_of(dtype, arithmetic);
  const Rounding store = output_rounding(arithmetic);
  const bool cut = store == Rounding::kZero, away = store == Rounding::kNearestAway;
  const double n = count_roundings(dtype, arithmetic, products);
  const double u = accumulator.unit_roundoff;
  // A store after the other: to nearest two errors without a direction, else two of one.
  const double stores = !rounds_before_bias(dtype, arithmetic) ? 1 : cut || away ? 2 : std::sqrt(2);
  const double out = stores * format_of(dtype).unit_roundoff() * (cut ? 2 : 1);
  // To nearest, n' errors add up like a random walk; toward zero they all go one way.
  const double sums = accumulator.toward_zero ? n * u : std::sqrt(n) * u;
  const double lost =
      error_bound(dtype, arithmetic, products).absolute + format_of(dtype).smallest();
  const double both = away ? sums + out : std::hypot(sums, out);
  const bool has_drift = !cut && !accumulator.toward_zero && demotion.error == 0;
  return {demotion.growth * both + demotion.error, lost, has_drift, has_drift && !away};
}

// Q, the sum of the squares of the terms, is at most their sum times the largest one.
double sigma_of(const Scale& scale, double largest_term, double magnitude) {
  return scale.slope * std::sqrt(std::min(largest_term, magnitude) * magnitude) + scale.offset;
}

double root_mean(double sum, double count) { return count > 0 ? std::sqrt(sum / count) : 0; }

}  // namespace

ErrorSums& ErrorSums::operator+=(const ErrorSums& other) {
  elements += other.elements;
  squares += other.squares;
  by_scale += other.by_scale;
  biased += other.biased;
  drift += other.drift;
  growth += other.growth;
  return *this;
}

double largest_term(std::span<const double> src, std::span<const double> weights,
                    std::span<const double> bias) {
  const auto largest = [](std::span<const double> values) {
    std::array<double, 8> most{};  // of every eighth value, so that a vector can hold them
    std::size_t at = 0;
    for (; at + most.size() <= values.size(); at += most.size()) {
      for (std::size_t lane = 0; lane < most.size(); ++lane) {
        most[lane] = std::max(most[lane], std::fabs(values[at + lane]));
      }
    }
    for (; at < values.size(); ++at) most[0] = std::max(most[0], std::fabs(values[at]));
    return *std::max_element(most.begin(), most.end());
  };
  return std::max(largest(src) * largest(weights), largest(bias));
}

ErrorSums sum_errors(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                     double largest_term, std::span<const double> got, std::span<const double> want,
                     std::span<const double> magnitude) {
  CONCORD_CHECK(got.size() == want.size() && got.size() == magnitude.size())
      << got.size() << ", " << want.size() << " and " << magnitude.size();
  ErrorSums sums;
  if (is_bilinear(arithmetic)) return sums;
  const Scale scale = scale_of(dtype, arithmetic, products);
  // Roots and quotients of many elements at a time, the sums in the order of the elements.
  std::array<double, 256> z{}, by_scale{};
  for (std::size_t begin = 0; begin < got.size(); begin += z.size()) {
    const std::size_t count = std::min(z.size(), got.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const double S = magnitude[begin + i], e = got[begin + i] - want[begin + i];
      z[i] = e / sigma_of(scale, largest_term, S);
      by_scale[i] = e / S;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = begin + i;
      const double S = magnitude[at];
      if (!std::isfinite(got[at]) || !std::isfinite(want[at]) || !std::isfinite(S) || S == 0) {
        continue;
      }
      sums.elements += 1;
      sums.squares += z[i] * z[i];
      sums.by_scale += by_scale[i] * by_scale[i];
      if (!scale.has_drift) continue;
      sums.biased += 1;
      sums.drift += z[i];
      if (scale.has_growth) sums.growth += std::copysign(z[i], z[i] * want[at]);
    }
  }
  return sums;
}

std::vector<double> error_scales(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                                 double largest_term, std::span<const double> want,
                                 std::span<const double> magnitude) {
  const Scale scale = scale_of(dtype, arithmetic, products);
  std::vector<double> sigmas(want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double S = magnitude[i];
    if (!std::isfinite(want[i]) || !std::isfinite(S) || S == 0) continue;
    sigmas[i] = sigma_of(scale, largest_term, S);
  }
  return sigmas;
}

bool has_mean_zero(Dtype dtype, const concord_arithmetic& arithmetic) {
  return scale_of(dtype, arithmetic, 1).has_growth;
}

bool StatisticalFinding::passed() const {
  return mean_square <= mean_square_limit && drift <= bias_limit && growth <= bias_limit;
}

StatisticalFinding judge_statistical(const ErrorSums& sums) {
  StatisticalFinding finding;
  finding.elements = sums.elements;
  finding.bias_limit = kBiasLimit;
  finding.mean_square_limit = kMeanSquareOfAnyTensor;
  finding.effective_bits = kMostBits;
  if (sums.elements == 0) return finding;
  finding.mean_square = sums.squares / sums.elements;
  finding.mean_square_limit =
      std::min(kMeanSquareOfAnyTensor, 1 + 3 / std::sqrt(kFalseAlarm * sums.elements));
  if (sums.biased > 0) {
    finding.drift = std::fabs(sums.drift) / std::sqrt(sums.biased);
    finding.growth = std::fabs(sums.growth) / std::sqrt(sums.biased);
  }
  const double off = root_mean(sums.by_scale, sums.elements);
  if (off > 0) finding.effective_bits = std::min(kMostBits, -std::log2(off));
  return finding;
}

std::string describe(const StatisticalFinding& f) {
  if (!(f.mean_square <= f.mean_square_limit)) {
    return fmt::format(
        "the errors of all elements together are too large: mean square {:.3g}, allowed {:.3g}",
        f.mean_square, f.mean_square_limit);
  }
  return fmt::format("the errors are biased: {:.3g} away from zero, {:.3g} upward, allowed {:.3g}",
                     f.growth, f.drift, f.bias_limit);
}

}  // namespace concord::conformance
