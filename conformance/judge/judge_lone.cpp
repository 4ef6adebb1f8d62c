// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_lone.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tiles of one width along one axis, whatever the taps of the kernel: the largest sum over k of
// |A|_ik |G|_kr |B|_ka with a = i + r, and how many roundings a term meets in the three transforms.
// Source: docs/numerics.md#one-product-among-zeros.
struct Tile {
  double growth;
  double roundings;
};
constexpr Tile kWidth8 = {25.0 / 9, 10}, kWidth6 = {5.0 / 3, 8}, kWidth5 = {2, 5};
// A wider bound than this would hide errors that nobody's tiles of 8 make.
constexpr double kWidest = 0.25;

double error_of(const Tile& tile, const Demotion& demotion, double u, std::size_t axes) {
  const auto rank = static_cast<double>(axes);
  const double rounded = gamma(rank * tile.roundings + 1, u);
  return std::pow(tile.growth, rank) * (demotion.error + demotion.growth * rounded);
}

std::optional<Dtype> accumulator_dtype(Dtype dtype, const concord_arithmetic& arithmetic) {
  if (dtype == Dtype::kF64) return std::nullopt;
  switch (arithmetic.accumulator) {
    case CONCORD_ACCUMULATE_F64:
      return std::nullopt;
    case CONCORD_ACCUMULATE_F16:
      return Dtype::kF16;
    case CONCORD_ACCUMULATE_BF16:
      return Dtype::kBF16;
    default:
      return Dtype::kF32;
  }
}

}  // namespace

double lone_product_error(Dtype dtype, const concord_arithmetic& arithmetic, std::size_t axes) {
  const Demotion demotion = demotion_of(dtype, arithmetic);
  const double u = accumulator_of(dtype, arithmetic).unit_roundoff;
  const double wide = error_of(kWidth8, demotion, u, axes);
  if (wide <= kWidest) return wide;
  return std::max(error_of(kWidth6, demotion, u, axes), error_of(kWidth5, demotion, u, axes));
}

LoneProducts::LoneProducts(Dtype dtype, const concord_arithmetic& arithmetic, std::size_t axes,
                           double largest)
    : dtype_(dtype),
      rounding_(output_rounding(arithmetic)),
      accumulator_(accumulator_dtype(dtype, arithmetic)),
      largest_(largest) {
  const Accumulator accumulator = accumulator_of(dtype, arithmetic);
  if (accumulator.toward_zero) accumulator_rounding_ = Rounding::kZero;
  faithful_ = accumulator.faithful;
  if (!is_bilinear(arithmetic)) return;
  seen_ = {lone_product_error(dtype, arithmetic, axes), 0};
  rest_ = error_bound(dtype, arithmetic, 1);
  judge_seen_.emplace(dtype, arithmetic, seen_);
  judge_rest_.emplace(dtype, arithmetic, rest_);
}

// The product is want + low; no other terms cancel.
std::array<double, 9> LoneProducts::f64_candidates(Wanted want) const {
  const auto neighbour = [&](double toward) { return std::nextafter(want.value, toward); };
  // Whether an accumulator of 64 bits, which is finer than the class's, takes it to a tie.
  const auto is_near_tie = [&](double next) {
    const double step = std::fabs(next - want.value);
    return step / 2 - std::fabs(want.low) <= std::ldexp(step, -12);
  };
  const bool is_beyond = want.low != 0 && std::signbit(want.low) != std::signbit(want.value);
  const bool is_short = want.low != 0 && !is_beyond;
  std::array<double, 9> all{};
  all.fill(want.value);
  const bool cuts = accumulator_rounding_ == Rounding::kZero || rounding_ == Rounding::kZero;
  if ((cuts || faithful_) && is_beyond) all[1] = neighbour(0);
  if (faithful_ && is_short) all[1] = neighbour(std::copysign(kInfinity, want.value));
  const double next = neighbour(std::copysign(kInfinity, want.low));
  if (is_near_tie(next)) all[2] = next;
  return all;
}

std::array<double, 9> LoneProducts::candidates(Wanted wanted, double magnitude) const {
  if (dtype_ == Dtype::kF64) return f64_candidates(wanted);
  const double want = wanted.value;
  const double a = (magnitude - std::fabs(want)) / 2;
  if (faithful_) return faithful_candidates(want, a);
  std::array<double, 9> all{};
  std::size_t count = 0;
  const auto add = [&](auto accumulated) {
    // Each sum but the first of a and y is exact.
    for (const double value :
         {accumulated(want), accumulated(want + a) - a, accumulated(want - a) + a}) {
      all[count++] = round_to(dtype_, value, rounding_);
    }
  };
  const auto to_accumulator = [&](double value) {
    return accumulator_ ? round_to(*accumulator_, value, accumulator_rounding_) : value;
  };
  add([](double value) { return value; });
  add(to_accumulator);
  add([&](double value) {
    return to_accumulator(round_to(Dtype::kF32, value, accumulator_rounding_));
  });
  // An accumulator of f64 rounds nothing, also not by way of f32.
  if (!accumulator_) std::fill(all.begin() + 3, all.end(), all[0]);
  return all;
}

// All that is computed lies between the least and the greatest of these, and a store keeps that so.
std::array<double, 9> LoneProducts::faithful_candidates(double want, double a) const {
  std::array<double, 9> all{};
  all.fill(want);
  if (accumulator_) {
    std::size_t count = 1;
    for (const Rounding rounding : {Rounding::kZero, Rounding::kAway}) {
      all[count++] = round_to(*accumulator_, want, rounding);
      for (const double larger : {a, -a}) {
        all[count++] = round_to(*accumulator_, want + larger, rounding) - larger;
      }
    }
    if (a != 0) {  // the three aligned, and cut off at the last bit of a
      const int last = std::ilogb(a) + 1 - format_of(*accumulator_).significand_bits;
      all[count++] = std::ldexp(std::trunc(std::ldexp(want, -last)), last);
    }
  }
  for (double& value : all) value = round_to(dtype_, value, rounding_);
  return all;
}

bool LoneProducts::accepts(double got, Wanted want, double magnitude) const {
  const double value = want.value;
  if (judge_seen_) {
    return value != 0 ? judge_seen_->accepts(got, want, std::fabs(value))
                      : judge_rest_->accepts(got, want, largest_);
  }
  if (value == 0) return got == 0;
  const auto accepted = candidates(want, magnitude);
  if (faithful_) {
    const auto [lowest, highest] = std::minmax_element(accepted.begin(), accepted.end());
    return *lowest <= got && got <= *highest;
  }
  return std::find(accepted.begin(), accepted.end(), got) != accepted.end();
}

double LoneProducts::allowed(Wanted want, double magnitude) const {
  const double value = want.value;
  if (judge_seen_) {
    const double bound = value != 0 ? seen_.of(std::fabs(value)) : rest_.of(largest_);
    return std::isnan(bound) ? kInfinity : bound;
  }
  double furthest = 0;
  for (const double accepted : candidates(want, magnitude)) {
    furthest = std::max(furthest, std::fabs(accepted - value));
  }
  return furthest;
}

WrongElement LoneProducts::describe(std::size_t index, double got, Wanted want,
                                    double magnitude) const {
  const double value = want.value;
  WrongElement wrong{index, got, value, allowed(want, magnitude), value, value};
  if (!judge_seen_) {
    const auto accepted = candidates(want, magnitude);
    const auto [lowest, highest] = std::minmax_element(accepted.begin(), accepted.end());
    wrong.lowest = *lowest;
    wrong.highest = *highest;
    wrong.is_exact = true;
    return wrong;
  }
  wrong.lowest = round_to(dtype_, value - wrong.allowed, rounding_);
  wrong.highest = round_to(dtype_, value + wrong.allowed, rounding_);
  return wrong;
}

Finding judge_lone(const LoneProducts& accepted, std::span<const double> got,
                   std::span<const double> want, std::span<const double> magnitude,
                   std::span<const double> low) {
  CONCORD_CHECK(got.size() == want.size() && got.size() == magnitude.size())
      << got.size() << ", " << want.size() << " and " << magnitude.size();
  Finding finding;
  finding.elements = got.size();
  double worst = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Wanted wanted(want[i], low.empty() ? 0 : low[i]);
    if (accepted.accepts(got[i], wanted, magnitude[i])) continue;
    finding.add_wrong(i);
    finding.margin = kInfinity;
    const double off = std::isnan(got[i]) ? kInfinity : std::fabs(got[i] - want[i]);
    if (off <= worst) continue;
    worst = off;
    finding.worst = accepted.describe(i, got[i], wanted, magnitude[i]);
  }
  return finding;
}

}  // namespace concord::conformance
