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

struct Limits {
  double moments;      // 2q: by moments of this order P <= 2 exp(-2q) at (2q)^2 and 2q
  double false_alarm;  // the same of the mean square of a large tensor
};

// Of tensors 2.3e-7, of pools 5.6e-10.
Limits limits_of(Drawn drawn) {
  return drawn == Drawn::kTwice ? Limits{16, 1e-6} : Limits{22, 1e-9};
}

// Sums of terms with fair signs, divided by the root of the sum of their squares: by Hoeffding
// P(|sum| > limit) <= 2 exp(-limit^2 / 2), here 1.2e-12.
constexpr double kSelfNormalisedLimit = 7.5;
// Rounding to nearest shrinks results on average, for the step doubles at each power of two: by
// less than so many unit roundoffs of the element type, in units of sigma.
constexpr double kShrinking = 3;
// So many are all that any dtype has.
constexpr double kMostBits = 53;
// Winograd's tiles of up to 8 along one axis: the largest root of sum_k A_ik^2 |G_k|^2 |B_k|^2 / r,
// with |.| the 2-norm of a row and r taps; in d axes it is to the power of d. And the same of
// errors that may all have one direction: sum_k |A_ik| |G_k| |B_k| / sqrt(r).
struct Norm {
  double independent, directed;
};
constexpr Norm kManyTaps{6.81, 14.21}, kTwoTaps{8.11, 16.43};
// A sum of aligned terms that carries is cut off once more: sqrt(1 + (3/4)^2).
constexpr double kCarrying = 1.25;
// Of a term in a tile beside those of the sum over channels.
constexpr double kBilinearRoundings = 34;

// What does not depend on the element.
struct Scale {
  double slope;  // sigma = slope * sqrt(Q) + offset
  double offset;
  bool has_drift;   // errors have mean zero, so that a drift means something
  bool has_growth;  // and that, too, in the direction of the result
  double shared;    // the largest error, by sigma, of an addition to one and the same number
};

// How many roundings of the same partial sum n of them are worth: to nearest they add up like a
// random walk; else they may all go one way, and away from zero each enlarges those before it.
double roundings_together(const Accumulator& accumulator, double n) {
  if (accumulator.faithful) {
    const double u = accumulator.unit_roundoff;
    return kCarrying * std::expm1(n * std::log1p(u)) / u;
  }
  return accumulator.toward_zero ? n : std::sqrt(n);
}

Scale scale_of(const ErrorModel& model) {
  const Dtype dtype = model.dtype;
  const concord_arithmetic& arithmetic = model.arithmetic;
  const Accumulator accumulator = accumulator_of(dtype, arithmetic);
  const Demotion demotion = demotion_of(dtype, arithmetic);
  const Rounding store = output_rounding(arithmetic);
  const bool cut = store == Rounding::kZero, away = store == Rounding::kNearestAway;
  const double n = count_roundings(dtype, arithmetic, model.products, model.has_bias);
  const double u = accumulator.unit_roundoff;
  // A store after the other: to nearest two errors without a direction, else two of one.
  const bool late = model.has_bias && rounds_before_bias(dtype, arithmetic);
  const double stores = !late ? 1 : cut || away ? 2 : std::sqrt(2);
  const double out = stores * format_of(dtype).unit_roundoff() * (cut ? 2 : 1);
  const double sums = roundings_together(accumulator, n) * u;
  // A store of a subnormal number loses a step of it or, flushed, all of it.
  const double stored = arithmetic.flushes_subnormals != 0
                            ? format_of(dtype).normal() * (late ? 2 : 1)
                            : format_of(dtype).smallest();
  const double lost =
      error_bound(dtype, arithmetic, model.products, {model.has_bias}).absolute + stored;
  const double both = away || accumulator.faithful ? sums + out : std::hypot(sums, out);
  const bool has_drift = !is_bilinear(arithmetic) && !cut && !accumulator.toward_zero &&
                         !accumulator.faithful && demotion.error == 0;
  // A bias is rounded to the accumulator and added once, or added to what was stored.
  const double added = late ? out : u;
  return {demotion.growth * both + demotion.error, lost, has_drift, has_drift && !away,
          2 * added / both};
}

// The same of a bilinear class: docs/numerics.md#norms-of-a-bilinear-class.
Scale bilinear_scale_of(const ErrorModel& model) {
  const Scale conventional = scale_of(model);
  const Accumulator accumulator = accumulator_of(model.dtype, model.arithmetic);
  const double n = static_cast<double>(model.depth) + kBilinearRoundings;
  const bool directed = accumulator.toward_zero || accumulator.faithful;
  double sums = accumulator.unit_roundoff * roundings_together(accumulator, n);
  for (std::size_t axis = 0; axis < model.axes; ++axis) {
    const Norm& norm = axis < model.pairs ? kTwoTaps : kManyTaps;
    sums *= directed ? norm.directed : norm.independent;
  }
  const bool cut = output_rounding(model.arithmetic) == Rounding::kZero;
  const double out = format_of(model.dtype).unit_roundoff() * (cut ? 2 : 1);
  // The store's share is that of the conventional class where it is rounded twice.
  const bool late = model.has_bias && rounds_before_bias(model.dtype, model.arithmetic);
  return {sums + (late ? 2 : 1) * out, conventional.offset, false, false, 0};
}

// Q, the sum of the squares of the terms, is at most their sum times the largest one.
double squares_of_terms(double largest_term, double magnitude) {
  return std::min(largest_term, magnitude) * magnitude;
}

// No dtype but f64 has magnitudes outside of these.
bool is_counted(double want, double magnitude) {
  return std::isfinite(want) && magnitude > 0x1p-500 && magnitude < 0x1p500;
}

// Errors of a tile spread over all its outputs, so that one sigma serves the tensor.
double common_sigma(const ErrorModel& model) {
  const Scale scale = bilinear_scale_of(model);
  return scale.slope * std::sqrt(model.tile_squares) + scale.offset;
}

double root_mean(double sum, double count) { return count > 0 ? std::sqrt(sum / count) : 0; }

// Sums over the elements of one output channel.
struct OfChannel {
  double drift = 0, growth = 0;
};

}  // namespace

ErrorSums& ErrorSums::operator+=(const ErrorSums& other) {
  elements += other.elements;
  squares += other.squares;
  by_scale += other.by_scale;
  biased += other.biased;
  drift += other.drift;
  growth += other.growth;
  channels += other.channels;
  channel_squares += other.channel_squares;
  growth_squares += other.growth_squares;
  shared += other.shared;
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

bool has_error_model(Dtype dtype, const concord_arithmetic& arithmetic) {
  if (!is_bilinear(arithmetic)) return true;
  return accumulator_of(dtype, arithmetic).bits >= 24 && demotion_of(dtype, arithmetic).error == 0;
}

std::vector<double> error_scales(const ErrorModel& model, std::span<const double> want,
                                 std::span<const double> magnitude) {
  std::vector<double> sigmas(want.size());
  const bool bilinear = is_bilinear(model.arithmetic);
  const double common = bilinear ? common_sigma(model) : 0;
  const Scale scale = scale_of(model);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double Q = squares_of_terms(model.largest_term, magnitude[i]);
    const double sigma = bilinear ? common : scale.slope * std::sqrt(Q) + scale.offset;
    sigmas[i] = is_counted(want[i], magnitude[i]) ? sigma : 0;
  }
  return sigmas;
}

ErrorSums sum_errors(const ErrorModel& model, std::span<const double> got,
                     std::span<const double> want, std::span<const double> magnitude,
                     std::span<const double> low) {
  CONCORD_CHECK(got.size() == want.size() && got.size() == magnitude.size())
      << got.size() << ", " << want.size() << " and " << magnitude.size();
  ErrorSums sums;
  if (got.empty()) return sums;
  const Scale scale = scale_of(model);
  const std::vector<double> sigmas = error_scales(model, want, magnitude);
  // Quotients of many elements at a time, the sums in the order of the elements.
  std::vector<double> z(got.size()), by_scale(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = low.empty() ? got[i] - want[i] : (got[i] - want[i]) - low[i];
    z[i] = off / sigmas[i];
    by_scale[i] = off / magnitude[i];
  }
  // Without channels the tensor is one: all its signs can be turned together.
  std::vector<OfChannel> by_channel(std::max<std::size_t>(model.channels, 1));
  const std::size_t plane = model.channels == 0 ? got.size() : model.plane;
  for (std::size_t begin = 0, at = 0; begin < got.size(); begin += plane, ++at) {
    OfChannel& channel = by_channel[at % by_channel.size()];
    for (std::size_t i = begin; i < begin + plane; ++i) {
      if (sigmas[i] == 0 || !std::isfinite(got[i])) continue;
      sums.elements += 1;
      sums.squares += z[i] * z[i];
      sums.by_scale += by_scale[i] * by_scale[i];
      channel.drift += z[i];
      if (!scale.has_drift) continue;
      sums.biased += 1;
      sums.drift += z[i];
      if (scale.has_growth) channel.growth += std::copysign(z[i], z[i] * want[i]);
    }
  }
  if (model.has_bias) sums.shared = scale.shared * sums.biased;
  for (const OfChannel& channel : by_channel) {
    sums.growth += channel.growth;
    sums.growth_squares += channel.growth * channel.growth;
    if (model.channels == 0 && !scale.has_drift) continue;
    sums.channels += channel.drift;
    sums.channel_squares += channel.drift * channel.drift;
  }
  return sums;
}

bool has_mean_zero(Dtype dtype, const concord_arithmetic& arithmetic) {
  return scale_of({dtype, arithmetic, 1, 0}).has_growth;
}

double BiasLimit::of(double count, double most_shared, double squares) const {
  const double absolute = independent * std::sqrt(count) + most_shared;
  const double relative = by_channel * std::sqrt(squares);
  return takes_larger ? std::max(absolute, relative) : std::min(absolute, relative);
}

BiasLimit bias_limit(Dtype dtype, const concord_arithmetic& arithmetic, Drawn drawn) {
  // Products of few bits leave errors that depend on few numbers, and a flush goes one way.
  const bool varied = format_of(dtype).significand_bits >= 24 && arithmetic.flushes_subnormals == 0;
  return {limits_of(drawn).moments, kSelfNormalisedLimit,
          kShrinking * format_of(dtype).unit_roundoff(), !varied};
}

bool StatisticalFinding::passed() const {
  return mean_square <= mean_square_limit && drift <= drift_limit && growth <= growth_limit &&
         channels <= channels_limit;
}

StatisticalFinding judge_statistical(Dtype dtype, const concord_arithmetic& arithmetic,
                                     const ErrorSums& sums, Drawn drawn) {
  const Limits limits = limits_of(drawn);
  StatisticalFinding finding;
  finding.elements = sums.elements;
  finding.drift_limit = finding.growth_limit = limits.moments;
  finding.channels_limit = kSelfNormalisedLimit;
  finding.mean_square_limit = limits.moments * limits.moments;
  finding.effective_bits = kMostBits;
  if (sums.elements == 0) return finding;
  finding.mean_square = sums.squares / sums.elements;
  // By Chebyshev, for tensors so large that their mean hardly varies: P(mean z^2 > 1 + t) is at
  // most 9 / (T t^2). Tiles share the transforms of one kernel and of one window, so their squares
  // are correlated.
  if (!is_bilinear(arithmetic)) {
    finding.mean_square_limit =
        std::min(finding.mean_square_limit, 1 + 3 / std::sqrt(limits.false_alarm * sums.elements));
  }
  if (sums.biased > 0) {
    finding.drift = std::fabs(sums.drift) / std::sqrt(sums.biased);
    finding.growth = std::fabs(sums.growth) / std::sqrt(sums.biased);
    const BiasLimit limit = bias_limit(dtype, arithmetic, drawn);
    const auto allowed = [&](double squares) {
      return limit.of(sums.biased, sums.shared, squares) / std::sqrt(sums.biased);
    };
    finding.drift_limit = allowed(sums.channel_squares);
    finding.growth_limit = allowed(sums.growth_squares) + limit.shrinking * std::sqrt(sums.biased);
  }
  if (sums.channel_squares > 0) {
    finding.channels = std::fabs(sums.channels) / std::sqrt(sums.channel_squares);
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
  if (!(f.channels <= f.channels_limit)) {
    return fmt::format("the errors are biased: {:.3g} upward over output channels, allowed {:.3g}",
                       f.channels, f.channels_limit);
  }
  return fmt::format(
      "the errors are biased: {:.3g} away from zero, allowed {:.3g}; {:.3g} upward, allowed "
      "{:.3g}",
      f.growth, f.growth_limit, f.drift, f.drift_limit);
}

}  // namespace concord::conformance
