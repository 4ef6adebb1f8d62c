// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/acceptance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Off / allowed; where nothing is allowed, anything is infinitely much.
double ratio(double off, double allowed) {
  if (off == 0 || std::isinf(allowed)) return 0;
  return off / allowed;
}

}  // namespace

Acceptance::Acceptance(Dtype dtype, const concord_arithmetic& arithmetic, ErrorBound bound)
    : dtype_(dtype), rounding_(output_rounding(arithmetic)), bound_(bound) {
  const Accumulator accumulator = accumulator_of(arithmetic);
  overflow_ = accumulator.toward_zero ? kInfinity : accumulator.largest;
  saturation_ = accumulator.toward_zero ? accumulator.largest : kInfinity;
  flushed_ = arithmetic.flushes_subnormals != 0 && bound.absolute > 0
                 ? std::ldexp(1.0, format_of(dtype).min_exponent)
                 : 0;
}

double Acceptance::allowance(double magnitude) const {
  const double allowed = bound_.of(magnitude);
  // Without a bound there is none in the other direction either, whatever the magnitude is.
  return std::isnan(allowed) ? kInfinity : allowed;
}

double Acceptance::limit(double got, double want, double magnitude) const {
  const double allowed = allowance(magnitude);
  const bool above = got >= want;
  if (allowed == 0) return round_to(dtype_, want, rounding_);
  // The positive terms, which add up to (S + y) / 2, bound every partial sum from above, but for
  // the rounding errors; and the negative ones from below.
  const double one_sided = (magnitude + (got > 0 ? want : -want)) / 2;
  if (std::isinf(got) && one_sided + allowed > overflow_) return got;
  // One step outward, for the rounding of want +- A itself.
  double edge = above ? std::nextafter(want + allowed, kInfinity)
                      : std::nextafter(want - allowed, -kInfinity);
  // Toward zero no sum goes beyond the largest number, however large the wanted one is.
  edge = above ? std::max(edge, -saturation_) : std::min(edge, saturation_);
  const double rounded = round_to(dtype_, edge, rounding_);
  const double inward = above ? want - allowed : want + allowed;
  if (got == 0 && std::fabs(inward) < flushed_) return 0;
  return rounded;
}

bool Acceptance::accepts(double got, double want, double magnitude) const {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  const double end = limit(got, want, magnitude);
  return allowance(magnitude) == 0 ? got == end : (got >= want ? got <= end : got >= end);
}

Finding Acceptance::judge(std::span<const double> got, std::span<const double> want,
                          std::span<const double> magnitude) const {
  CONCORD_CHECK(got.size() == want.size()) << got.size() << " and " << want.size();
  CONCORD_CHECK(magnitude.empty() || magnitude.size() == want.size()) << magnitude.size();
  Finding finding;
  finding.elements = got.size();
  finding.vacuous = bound_.is_vacuous();
  double worst_margin = -1;
  double worst_off = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;  // a value of the dtype lies in every interval around itself
    const double S = magnitude.empty() ? 0 : magnitude[i];
    const bool accepted = accepts(got[i], want[i], S);
    if (accepted && std::isnan(want[i])) continue;
    const double end = std::isfinite(want[i]) ? limit(got[i], want[i], S) : want[i];
    const bool graded = !magnitude.empty() && std::isfinite(want[i]);
    const double allowed = graded ? std::fabs(end - want[i]) : 0;
    // A NaN compares with nothing: it is infinitely far off.
    const bool comparable = !std::isnan(got[i]) && std::isfinite(want[i]);
    const double off = comparable ? std::fabs(got[i] - want[i]) : kInfinity;
    const double margin = comparable ? ratio(off, allowed) : kInfinity;
    if (!accepted || !magnitude.empty()) finding.margin = std::max(finding.margin, margin);
    if (accepted) continue;
    ++finding.wrong;
    if (margin < worst_margin || (margin == worst_margin && off <= worst_off)) continue;
    worst_margin = margin;
    worst_off = off;
    finding.worst = WrongElement{i, got[i], want[i], allowed};
  }
  return finding;
}

}  // namespace concord::conformance
