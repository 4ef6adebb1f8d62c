// SPDX-License-Identifier: Apache-2.0
#include "spec/rational.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "spec/check.h"

namespace concord {
namespace {

// GCC's 128-bit integer is an extension; the products of two 64-bit numbers need it.
__extension__ using Wide = __int128;

Wide absolute(Wide value) { return value < 0 ? -value : value; }

Wide greatest_common_divisor(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

constexpr const char* kBeyond = "a fraction beyond 128 bits";

Wide product(Wide a, Wide b) {
  Wide result = 0;
  CONCORD_CHECK(!__builtin_mul_overflow(a, b, &result)) << kBeyond;
  return result;
}

Wide floor_of(Wide numerator, Wide denominator) {
  const Wide quotient = numerator / denominator;
  return numerator % denominator < 0 ? quotient - 1 : quotient;
}

Extent narrowed(Wide value) {
  CONCORD_CHECK(absolute(value) <= INT64_MAX) << "a part of a fraction beyond 64 bits";
  return static_cast<Extent>(value);
}

std::string digits_of(Wide value) {
  std::string digits;
  for (Wide rest = absolute(value); rest != 0 || digits.empty(); rest /= 10) {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (value < 0) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

bool parse_integer(std::string_view text, Extent& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// "0.35" as 35/100: the digits without their point over a power of ten.
std::optional<Rational> parse_decimal(std::string_view text, std::size_t point) {
  const std::size_t places = text.size() - point - 1;
  std::string digits(text.substr(0, point));
  digits += text.substr(point + 1);
  Extent numerator = 0;
  Extent denominator = 1;
  if (places == 0 || text[point + 1] == '-' || !parse_integer(digits, numerator)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < places; ++i) {
    if (__builtin_mul_overflow(denominator, 10, &denominator)) return std::nullopt;
  }
  return Rational(numerator, denominator);
}

// "0x1.8p-1", as printf's %a writes a double.
std::optional<Rational> parse_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x") || text.substr(2).starts_with('-')) return std::nullopt;
  text.remove_prefix(2);
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rational_of(negative ? -value : value);
}

}  // namespace

Rational Rational::reduced(Wide numerator, Wide denominator) {
  CONCORD_CHECK(denominator != 0) << "a fraction over zero";
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide divisor = greatest_common_divisor(absolute(numerator), denominator);
  Rational result;
  result.numerator_ = numerator / divisor;
  result.denominator_ = denominator / divisor;
  return result;
}

Rational::Rational(Extent numerator, Extent denominator)
    : Rational(reduced(numerator, denominator)) {}

Extent Rational::numerator() const { return narrowed(numerator_); }
Extent Rational::denominator() const { return narrowed(denominator_); }

Extent Rational::floor() const { return narrowed(floor_of(numerator_, denominator_)); }
Extent Rational::ceil() const { return narrowed(-floor_of(-numerator_, denominator_)); }

double Rational::to_double() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

Rational Rational::operator-() const { return reduced(-numerator_, denominator_); }

// Over the least common denominator, so that sums of like fractions stay small.
Rational operator+(const Rational& a, const Rational& b) {
  const Wide common = greatest_common_divisor(a.denominator_, b.denominator_);
  const Wide to_a = b.denominator_ / common, to_b = a.denominator_ / common;
  Wide sum = 0;
  CONCORD_CHECK(
      !__builtin_add_overflow(product(a.numerator_, to_a), product(b.numerator_, to_b), &sum))
      << kBeyond;
  return Rational::reduced(sum, product(a.denominator_, to_a));
}

Rational operator-(const Rational& a, const Rational& b) { return a + -b; }

// What divides a numerator and the other denominator is left out beforehand.
Rational operator*(const Rational& a, const Rational& b) {
  const auto left = Rational::reduced(a.numerator_, b.denominator_);
  const auto right = Rational::reduced(b.numerator_, a.denominator_);
  return Rational::reduced(product(left.numerator_, right.numerator_),
                           product(left.denominator_, right.denominator_));
}

Rational operator/(const Rational& a, const Rational& b) {
  return a * Rational::reduced(b.denominator_, b.numerator_);
}

// Whole parts first: the products of what is left over, below 2^64 for a fraction of a user's or a
// grid point, fit 128 bits without a sign.
std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  __extension__ using Unsigned = unsigned __int128;
  const Wide whole_a = floor_of(a.numerator_, a.denominator_);
  const Wide whole_b = floor_of(b.numerator_, b.denominator_);
  if (whole_a != whole_b) return whole_a <=> whole_b;
  const auto rest_a = static_cast<Unsigned>(a.numerator_ - whole_a * a.denominator_);
  const auto rest_b = static_cast<Unsigned>(b.numerator_ - whole_b * b.denominator_);
  Unsigned left = 0, right = 0;
  CONCORD_CHECK(!__builtin_mul_overflow(rest_a, static_cast<Unsigned>(b.denominator_), &left) &&
                !__builtin_mul_overflow(rest_b, static_cast<Unsigned>(a.denominator_), &right))
      << kBeyond;
  return left <=> right;
}

std::string to_string(const Rational& value) {
  const std::string numerator = digits_of(value.numerator_);
  return value.is_integer() ? numerator : numerator + "/" + digits_of(value.denominator_);
}

std::optional<Rational> rational_of(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  constexpr int kBits = std::numeric_limits<double>::digits;
  auto numerator = static_cast<Extent>(std::ldexp(std::frexp(value, &exponent), kBits));
  exponent -= kBits;
  for (; numerator != 0 && numerator % 2 == 0 && exponent < 0; ++exponent) numerator /= 2;
  constexpr int kMost = 62;
  if (numerator == 0) return Rational(0);
  if (exponent < -kMost) return std::nullopt;
  if (exponent <= 0) return Rational(numerator, Extent{1} << -exponent);
  if (exponent > kMost || __builtin_mul_overflow(numerator, Extent{1} << exponent, &numerator)) {
    return std::nullopt;
  }
  return Rational(numerator);
}

std::optional<Rational> parse_rational(std::string_view text) {
  if (text.find('x') != std::string_view::npos) return parse_double(text);
  if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
    return parse_decimal(text, point);
  }
  const std::size_t slash = text.find('/');
  Extent numerator = 0;
  Extent denominator = 1;
  if (!parse_integer(text.substr(0, slash), numerator)) return std::nullopt;
  if (slash != std::string_view::npos &&
      (!parse_integer(text.substr(slash + 1), denominator) || denominator < 1)) {
    return std::nullopt;
  }
  if (numerator == INT64_MIN) return std::nullopt;
  return Rational(numerator, denominator);
}

}  // namespace concord
