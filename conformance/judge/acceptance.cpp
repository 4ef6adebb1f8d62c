// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/acceptance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/sum.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Off / allowed; where nothing is allowed, anything is infinitely much.
double ratio(double off, double allowed) {
  if (off == 0 || std::isinf(allowed)) return 0;
  return off / allowed;
}

// The sum without the bias, y0 = want - bias, has S0 = S - |bias|; the oracle's own errors are
// relative to S, and so are those of the two subtractions; with the low part their squares.
struct LateSum {
  Wanted sum;
  double magnitude, allowed;
};

LateSum without_bias(const ErrorBound& bound, bool has_low, Wanted want, double magnitude,
                     double bias) {
  const double S0 = std::max(magnitude - std::fabs(bias), 0.0);
  const double allowed = bound.of(S0) + 2 * bound.oracle * magnitude + want.radius;
  const reference::TwoSum y0(want.value, -bias);
  return {
      {y0.sum, has_low ? y0.lost + want.low : 0}, S0, std::isnan(allowed) ? kInfinity : allowed};
}

}  // namespace

Acceptance::Acceptance(Dtype dtype, const concord_arithmetic& arithmetic, ErrorBound bound)
    : dtype_(dtype),
      arithmetic_(arithmetic),
      rounding_(output_rounding(arithmetic)),
      late_(rounds_before_bias(dtype, arithmetic)),
      bound_(bound) {
  const Accumulator accumulator = accumulator_of(dtype, arithmetic);
  overflow_ = accumulator.toward_zero ? kInfinity : accumulator.largest;
  saturation_ = accumulator.toward_zero || accumulator.faithful ? accumulator.largest : kInfinity;
  if (accumulator.faithful) kept_ = bound.of(accumulator.largest);
  const Demotion demotion = demotion_of(dtype, arithmetic);
  split_ = demotion.products > 1 ? demotion.growth - 1 : 0;
  flushed_ = arithmetic.flushes_subnormals != 0 && bound.absolute > 0
                 ? std::ldexp(1.0, format_of(dtype).min_exponent)
                 : 0;
}

double Acceptance::allowance(Wanted want, double magnitude) const {
  const double allowed = bound_.of(magnitude) + want.radius;
  // Without a bound there is none in the other direction either, whatever the magnitude is.
  return std::isnan(allowed) ? kInfinity : allowed;
}

// want +- A, and one step outward for its own rounding. Where f64 to nearest is what R rounds to,
// the processor's sum has R applied already, and the step is one of what is added.
double Acceptance::edge_of(Wanted want, double allowed, bool above) const {
  const double outward = above ? kInfinity : -kInfinity;
  const double reach = above ? want.low + allowed : want.low - allowed;
  if (dtype_ == Dtype::kF64 && rounding_ == Rounding::kNearest) {
    return want.value + std::nextafter(reach, outward);
  }
  return std::nextafter(want.value + reach, outward);
}

// Toward zero no sum goes beyond the largest number L, however large the wanted one is. Terms of
// the other sign, which add up to N, may be added after it has stopped there: the sum is then as
// small as L - N. Of one that was split the low parts may have that sign. With faithful rounding it
// may lose what a compensated sum has kept of its errors.
// docs/numerics.md#interval-tier
double Acceptance::saturated(double edge, Wanted want, double magnitude, bool above) const {
  if (std::isinf(saturation_)) return edge;
  const double inward = above ? magnitude + want.value : magnitude - want.value;
  const double others = inward / 2 + split_ * magnitude;
  const double reach = others > 0 ? others + allowance(want, magnitude) : kept_;
  return above ? std::max(edge, reach - saturation_) : std::min(edge, saturation_ - reach);
}

double Acceptance::limit(double got, Wanted want, double magnitude, double bias) const {
  if (late_) {
    const Ends ends = late_ends(want, magnitude, bias);
    return got >= want.value ? ends.high : ends.low;
  }
  const double allowed = allowance(want, magnitude);
  const bool above = got >= want.value;
  if (allowed == 0) return round_to(dtype_, want.value, rounding_);
  // The positive terms, which add up to (S + y) / 2, bound every partial sum from above, but for
  // the rounding errors; and the negative ones from below.
  const double one_sided = (magnitude + (got > 0 ? want.value : -want.value)) / 2;
  if (std::isinf(got) && one_sided + allowed > overflow_) return got;
  const double edge = saturated(edge_of(want, allowed, above), want, magnitude, above);
  const double rounded = round_to(dtype_, edge, rounding_);
  // The end on got's side, which of a result of 0 is the one next to zero.
  const double next_to_zero = want.value + (above ? want.low + allowed : want.low - allowed);
  if (got == 0 && std::fabs(next_to_zero) < flushed_) return 0;
  return rounded;
}

bool Acceptance::accepts(double got, Wanted want, double magnitude, double bias) const {
  if (late_ && std::isfinite(want.value)) {
    return accepts_late(got, want, magnitude, bias, late_ends(want, magnitude, bias));
  }
  return is_within(got, want, magnitude,
                   std::isfinite(want.value) ? limit(got, want, magnitude) : want.value);
}

// `end` is the limit.
bool Acceptance::is_within(double got, Wanted want, double magnitude, double end) const {
  if (std::isnan(want.value)) return std::isnan(got);
  if (std::isinf(want.value)) return got == want.value;
  return allowance(want, magnitude) == 0 ? got == end
                                         : (got >= want.value ? got <= end : got >= end);
}

// How far the worst of the wrong elements is off.
struct Acceptance::Worst {
  double margin = -1, off = -1;
};

WrongElement Acceptance::describe(std::size_t i, double got, Wanted want, double magnitude,
                                  double allowed) const {
  constexpr double kFar = std::numeric_limits<double>::max();
  const double value = want.value;
  WrongElement wrong{i, got, value, allowed, value, value, allowance(want, magnitude) == 0, {}};
  if (!std::isfinite(value)) return wrong;
  wrong.lowest = limit(-kFar, want, magnitude);
  wrong.highest = limit(kFar, want, magnitude);
  for (const double other : {0.0, kInfinity, -kInfinity}) {
    const bool inside = wrong.lowest <= other && other <= wrong.highest;
    if (!inside && accepts(other, want, magnitude)) wrong.besides.push_back(other);
  }
  return wrong;
}

void Acceptance::judge_element(std::size_t i, double got, Wanted want, double magnitude,
                               bool graded, Finding& finding, Worst& worst) const {
  const double value = want.value;
  if (got == value) return;  // a value of the dtype lies in every interval around itself
  const double end = std::isfinite(value) ? limit(got, want, magnitude) : value;
  const bool accepted = is_within(got, want, magnitude, end);
  if (accepted && std::isnan(value)) return;
  const double allowed = graded && std::isfinite(value) ? std::fabs((end - value) - want.low) : 0;
  // A NaN compares with nothing: it is infinitely far off.
  const bool comparable = !std::isnan(got) && std::isfinite(value);
  const double off = comparable ? std::fabs((got - value) - want.low) : kInfinity;
  const double margin = comparable ? ratio(off, allowed) : kInfinity;
  if (!accepted || graded) finding.margin = std::max(finding.margin, margin);
  if (accepted) return;
  finding.add_wrong(i);
  if (margin < worst.margin || (margin == worst.margin && off <= worst.off)) return;
  worst = {margin, off};
  finding.worst = describe(i, got, want, magnitude, allowed);
}

Ends Acceptance::late_ends(Wanted want, double magnitude, double bias) const {
  const LateSum early = without_bias(bound_, dtype_ == Dtype::kF64, want, magnitude, bias);
  if (std::isinf(early.allowed)) return {-kInfinity, kInfinity};
  const auto edge = [&](bool above) {
    const double end =
        early.allowed == 0 ? early.sum.value : edge_of(early.sum, early.allowed, above);
    return saturated(end, early.sum, early.magnitude, above);
  };
  const double low = std::max(edge(false), -saturation_), high = std::min(edge(true), saturation_);
  Ends sum{round_to(dtype_, low, rounding_), round_to(dtype_, high, rounding_)};
  // What is subnormal before it is rounded may be flushed, whatever it would be rounded to.
  if (low < flushed_ && high > -flushed_) {
    sum = {std::min(sum.low, 0.0), std::max(sum.high, 0.0)};
  }
  return add_late(dtype_, arithmetic_, sum, bias, flushed_);
}

bool Acceptance::accepts_late(double got, Wanted want, double magnitude, double bias,
                              Ends ends) const {
  if (got >= ends.low && got <= ends.high) return true;
  if (!std::isinf(got)) return false;
  // A partial sum may have overflowed, as in limit(); a bias is finite.
  const auto [y0, S0, allowed] = without_bias(bound_, dtype_ == Dtype::kF64, want, magnitude, bias);
  return allowed > 0 && (S0 + (got > 0 ? y0.value : -y0.value)) / 2 + allowed > overflow_;
}

// What is wanted of a wrong element is the exact value, or the end of the interval that got is
// beyond where the exact value itself lies outside: R(R(y0) + b) may be far from y0 + b.
void Acceptance::judge_late(std::size_t i, double got, Wanted wanted_sum, double magnitude,
                            double bias, Finding& finding, Worst& worst) const {
  const double want = wanted_sum.value;
  const Ends ends = late_ends(wanted_sum, magnitude, bias);
  const bool accepted = accepts_late(got, wanted_sum, magnitude, bias, ends);
  const bool below = accepted ? got < want : got < ends.low;
  const double end = below ? ends.low : ends.high;
  const double wanted = accepted ? want : below ? std::max(want, end) : std::min(want, end);
  const double allowed = std::fabs(end - wanted);
  const double off = std::isnan(got) ? kInfinity : std::fabs(got - wanted);
  const double margin = std::isnan(got) ? kInfinity : ratio(off, allowed);
  if (accepted) {
    // Within the interval, and yet further off than its end: as far as anything may be.
    finding.margin = std::max(finding.margin, allowed > 0 ? std::min(margin, 1.0) : 0);
    return;
  }
  finding.margin = std::max(finding.margin, margin);
  finding.add_wrong(i);
  if (margin < worst.margin || (margin == worst.margin && off <= worst.off)) return;
  worst = {margin, off};
  WrongElement wrong{i, got, wanted, allowed, ends.low, ends.high, false, {}};
  for (const double value : {kInfinity, -kInfinity}) {
    const bool inside = ends.low <= value && value <= ends.high;
    if (!inside && accepts_late(value, wanted_sum, magnitude, bias, ends)) {
      wrong.besides.push_back(value);
    }
  }
  finding.worst = std::move(wrong);
}

// True only if each element is accepted with a margin that is no larger than the one known. No
// limit() is asked. It is R(want +- A), which lies at least A less one step of the dtype from want;
// a step is at most 2 u (|want| + A) or, among subnormal numbers, the smallest one. What is left of
// A then, times the margin known, is enough for all elements but the few that set a new margin.
// The slack of 2^-20 is for the rounding of all this.
bool Acceptance::changes_nothing(const Finding& finding, std::span<const double> got,
                                 std::span<const double> want,
                                 std::span<const double> magnitude) const {
  constexpr double kSlack = 0x1p-20;
  const Format& format = format_of(dtype_);
  const double step = 2 * format.unit_roundoff() * (1 + kSlack), smallest = format.smallest();
  const double known = std::min(1.0, finding.margin) * (1 - kSlack);
  // Up to here nothing overflows or saturates.
  const double plain = std::min(format.largest(), saturation_) / 2;
  std::size_t sure = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double S = magnitude[i];
    const double allowed = (bound_.relative * S + bound_.absolute) * (1 - kSlack);
    const double far = std::fabs(want[i]) + allowed * (1 + 4 * kSlack);
    const bool enough = std::fabs(got[i] - want[i]) <= known * (allowed - step * far - smallest);
    sure += static_cast<std::size_t>(enough) & static_cast<std::size_t>(S > 0) &
            static_cast<std::size_t>(far < plain) &
            static_cast<std::size_t>(std::fabs(got[i]) >= flushed_);
  }
  return sure == got.size();
}

Finding Acceptance::judge_each(std::span<const double> got, std::span<const double> want,
                               std::span<const double> magnitude, const ChannelBias& bias,
                               std::span<const double> low, std::span<const double> radius) const {
  Finding finding;
  finding.elements = got.size();
  finding.vacuous = bound_.is_vacuous();
  Worst worst;
  const bool graded = !magnitude.empty();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double S = graded ? magnitude[i] : 0;
    const Wanted wanted(want[i], low.empty() ? 0 : low[i], radius.empty() ? 0 : radius[i]);
    if (late_ && std::isfinite(want[i])) {
      judge_late(i, got[i], wanted, S, bias.of(i), finding, worst);
    } else {
      judge_element(i, got[i], wanted, S, graded, finding, worst);
    }
  }
  return finding;
}

Finding Acceptance::judge(std::span<const double> got, std::span<const double> want,
                          std::span<const double> magnitude, const ChannelBias& bias,
                          std::span<const double> low, std::span<const double> radius) const {
  constexpr std::size_t kBlock = 64;  // elements that are looked at together first
  CONCORD_CHECK(got.size() == want.size()) << got.size() << " and " << want.size();
  CONCORD_CHECK(magnitude.empty() || magnitude.size() == want.size()) << magnitude.size();
  CONCORD_CHECK(low.empty() || low.size() == want.size()) << low.size();
  CONCORD_CHECK(radius.empty() || radius.size() == want.size()) << radius.size();
  if (magnitude.empty() || bound_.is_vacuous() || late_ || !low.empty() || !radius.empty()) {
    return judge_each(got, want, magnitude, bias, low, radius);
  }
  Finding finding;
  finding.elements = got.size();
  Worst worst;
  for (std::size_t begin = 0; begin < got.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, got.size() - begin);
    if (changes_nothing(finding, got.subspan(begin, count), want.subspan(begin, count),
                        magnitude.subspan(begin, count))) {
      continue;
    }
    for (std::size_t i = begin; i < begin + count; ++i) {
      judge_element(i, got[i], want[i], magnitude[i], true, finding, worst);
    }
  }
  return finding;
}

}  // namespace concord::conformance
