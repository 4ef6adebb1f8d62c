// SPDX-License-Identifier: Apache-2.0
// Exact rational numbers, for grids and scales: no tie and no ceil is decided in floating point.
#ifndef CONCORD_SPEC_RATIONAL_H_
#define CONCORD_SPEC_RATIONAL_H_

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "spec/tensor.h"

namespace concord {

/// A fraction in lowest terms with a positive denominator.
/// Errors  arithmetic whose result does not fit 64 bits aborts: callers must bound a user's numbers
///         first
class Rational {
 public:
  constexpr Rational() = default;
  Rational(Extent integer) : numerator_(integer) {}  // NOLINT(google-explicit-constructor)
  /// `denominator` is not zero.
  Rational(Extent numerator, Extent denominator);

  Extent numerator() const { return numerator_; }
  Extent denominator() const { return denominator_; }
  bool is_integer() const { return denominator_ == 1; }

  /// The largest integer not above, the smallest not below.
  Extent floor() const;
  Extent ceil() const;
  /// The double nearest to numerator and denominator, divided: at most two roundings.
  double to_double() const;

  Rational operator-() const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  /// `b` is not zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

 private:
  __extension__ using Wide = __int128;  // holds any product of two parts
  static Rational reduced(Wide numerator, Wide denominator);

  Extent numerator_ = 0;
  Extent denominator_ = 1;
};

/// "2/3", or "2" for an integer.
std::string to_string(const Rational& value);
/// Reads "2/3", "-2" or "0.35", which is 7/20 exactly. Nothing if it is none of these or a part
/// does not fit 64 bits.
std::optional<Rational> parse_rational(std::string_view text);

}  // namespace concord

#endif  // CONCORD_SPEC_RATIONAL_H_
