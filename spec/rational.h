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

/// A fraction in lowest terms with a positive denominator. Parts of a user's numbers have 64 bits;
/// results may have 128, such as grid points of scales that are doubles.
/// Errors  arithmetic whose result does not fit 128 bits aborts, and so does asking for a part, a
///         floor or a ceil that does not fit 64: callers must bound a user's numbers first
class Rational {
 public:
  constexpr Rational() = default;
  Rational(Extent integer) : numerator_(integer) {}  // NOLINT(google-explicit-constructor)
  /// `denominator` is not zero.
  Rational(Extent numerator, Extent denominator);

  Extent numerator() const;
  Extent denominator() const;
  bool is_integer() const { return denominator_ == 1; }

  /// The largest integer not above, the smallest not below.
  Extent floor() const;
  Extent ceil() const;
  /// The double nearest to numerator and denominator, divided: one rounding if both have at most 53
  /// bits, else at most three.
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
  __extension__ using Wide = __int128;
  static Rational reduced(Wide numerator, Wide denominator);
  friend std::string to_string(const Rational& value);

  Wide numerator_ = 0;
  Wide denominator_ = 1;
};

/// "2/3", or "2" for an integer.
std::string to_string(const Rational& value);
/// Reads "2/3", "-2", "0.35", which is 7/20 exactly, or a double such as "0x1.6a09e667f3bcdp-1",
/// also exactly. Nothing if it is none of these or a part does not fit 64 bits.
std::optional<Rational> parse_rational(std::string_view text);

/// The double itself. Nothing if it is not finite or a part does not fit 64 bits: any double of a
/// magnitude from 2^-10 to below 2^63 fits.
std::optional<Rational> rational_of(double value);

}  // namespace concord

#endif  // CONCORD_SPEC_RATIONAL_H_
