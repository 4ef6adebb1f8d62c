// SPDX-License-Identifier: Apache-2.0
#include "reference/continuous_grid.h"

#include <algorithm>
#include <string>

namespace concord::reference {
namespace {

bool is_countable(Extent value) { return value >= 0 && value <= kLargestGridNumber; }

Refusal not_positive(const std::string& name, const Rational& value) {
  return {Fault::kScale, name + " must be positive, is " + to_string(value)};
}

Refusal not_countable(const std::string& name, const std::string& value) {
  return {Fault::kSize,
          name + " must be from 0 to " + std::to_string(kLargestGridNumber) + ", is " + value};
}

Extent positive_remainder(Extent a, Extent b) { return (a % b + b) % b; }

}  // namespace

std::optional<Rational> product(const Rational& a, const Rational& b) {
  const Rational left(a.numerator(), b.denominator());  // their product is in lowest terms
  const Rational right(b.numerator(), a.denominator());
  Extent numerator = 0;
  Extent denominator = 0;
  if (__builtin_mul_overflow(left.numerator(), right.numerator(), &numerator) ||
      __builtin_mul_overflow(left.denominator(), right.denominator(), &denominator)) {
    return std::nullopt;
  }
  return Rational(numerator, denominator);
}

bool is_within_grid(const Rational& scale) {
  return scale <= Rational(kLargestGridNumber) && scale >= Rational(1, kLargestGridNumber);
}

Result<ContinuousAxis> resolve_continuous_axis(ContinuousAxis axis) {
  const Rational& s = axis.scale;
  if (!is_countable(axis.in)) return not_countable("the input size", std::to_string(axis.in));
  if (s <= Rational(0)) return not_positive("scale", s);
  if (!is_within_grid(s)) {
    return Refusal{Fault::kSize, "scale must be between 2^-30 and 2^30, is " + to_string(s)};
  }
  if (axis.K < 1 || axis.K > kLargestGridNumber) {
    return Refusal{Fault::kKernel, "kernel must be from 1 to " +
                                       std::to_string(kLargestGridNumber) + ", is " +
                                       std::to_string(axis.K)};
  }
  if (axis.out < 0) axis.out = (s * axis.in).ceil();
  if (!is_countable(axis.out)) return not_countable("the output size", std::to_string(axis.out));
  return axis;
}

Rational grid_point(const ContinuousAxis& axis, Extent n) {
  const Rational& s = axis.scale;
  return n / s + Rational(axis.in - 1, 2) - (axis.out - 1) / (2 * s);
}

Extent first_neighbour(const ContinuousAxis& axis, Extent n) {
  const Rational border = grid_point(axis, n) - Rational(axis.K, 2);
  return axis.ties == Ties::kOpen ? border.floor() + 1 : border.ceil();
}

std::vector<Neighbour> neighbours(const ContinuousAxis& axis, Extent n) {
  const Rational g = grid_point(axis, n);
  const Rational border = g + Rational(axis.K, 2);
  std::vector<Neighbour> found;
  for (Extent m = first_neighbour(axis, n); axis.ties == Ties::kClosed ? m <= border : m < border;
       ++m) {
    found.push_back({m, g - m, pixel_at(axis.boundary, axis.in, m)});
  }
  return found;
}

std::optional<Extent> pixel_at(Boundary boundary, Extent in, Extent m) {
  if (in == 0) return std::nullopt;
  if (m >= 0 && m < in) return m;
  switch (boundary) {
    case Boundary::kZero:
      break;
    case Boundary::kReplicate:
      return std::clamp<Extent>(m, 0, in - 1);
    case Boundary::kReflect: {
      const Extent period = std::max<Extent>(2 * (in - 1), 1);
      const Extent place = positive_remainder(m, period);
      return std::min(place, period - place) % in;
    }
    case Boundary::kSymmetric: {
      const Extent place = positive_remainder(m, 2 * in);
      return std::min(place, 2 * in - 1 - place);
    }
  }
  return std::nullopt;
}

std::vector<Phase> phases(const ContinuousAxis& axis) {
  const Extent k = axis.scale.numerator();
  const Extent l = axis.scale.denominator();
  std::vector<Phase> all;
  for (Extent p = 0; p < std::min(k, axis.out); ++p) {
    const Extent left = first_neighbour(axis, p);
    const Extent count = Rational(axis.out - p, k).ceil();
    all.push_back({count, l, -left, left + (count - 1) * l + axis.slots() - axis.in});
  }
  return all;
}

Result<Extents> chain_sizes(Extent in, const std::vector<Rational>& scales,
                            const Rational& target) {
  if (scales.empty()) return Refusal{Fault::kSize, "a chain needs at least one scale"};
  if (!is_countable(in)) return not_countable("the input size", std::to_string(in));
  if (target <= Rational(0)) return not_positive("target", target);
  Extents sizes;
  std::optional<Rational> size = Rational(in);
  for (const Rational& scale : scales) {
    if (scale <= Rational(0)) return not_positive("scale", scale);
    size = product(*size, scale);
    if (!size) return Refusal{Fault::kSize, "the product of the scales does not fit 64 bits"};
    sizes.push_back(size->ceil());
  }
  const std::optional<Rational> last = product(in, target);
  if (!last || !last->is_integer()) {
    return Refusal{Fault::kSize, "input size times target must be an integer, is " +
                                     std::to_string(in) + " * " + to_string(target)};
  }
  sizes.back() = last->numerator();
  return sizes;
}

}  // namespace concord::reference
