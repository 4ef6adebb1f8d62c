// SPDX-License-Identifier: Apache-2.0
#include "spec/rational.h"

#include <charconv>
#include <cstdint>

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

}  // namespace

Rational Rational::reduced(Wide numerator, Wide denominator) {
  CONCORD_CHECK(denominator != 0) << "a fraction over zero";
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide divisor = greatest_common_divisor(absolute(numerator), denominator);
  numerator /= divisor;
  denominator /= divisor;
  CONCORD_CHECK(absolute(numerator) <= INT64_MAX && denominator <= INT64_MAX)
      << "a fraction beyond 64 bits";
  Rational result;
  result.numerator_ = static_cast<Extent>(numerator);
  result.denominator_ = static_cast<Extent>(denominator);
  return result;
}

Rational::Rational(Extent numerator, Extent denominator)
    : Rational(reduced(numerator, denominator)) {}

Extent Rational::floor() const {
  const Extent quotient = numerator_ / denominator_;
  return numerator_ % denominator_ < 0 ? quotient - 1 : quotient;
}

Extent Rational::ceil() const {
  const Extent quotient = numerator_ / denominator_;
  return numerator_ % denominator_ > 0 ? quotient + 1 : quotient;
}

double Rational::to_double() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

Rational Rational::operator-() const {
  return reduced(-static_cast<Wide>(numerator_), denominator_);
}

Rational operator+(const Rational& a, const Rational& b) {
  return Rational::reduced(static_cast<Wide>(a.numerator_) * b.denominator_ +
                               static_cast<Wide>(b.numerator_) * a.denominator_,
                           static_cast<Wide>(a.denominator_) * b.denominator_);
}

Rational operator-(const Rational& a, const Rational& b) { return a + -b; }

Rational operator*(const Rational& a, const Rational& b) {
  return Rational::reduced(static_cast<Wide>(a.numerator_) * b.numerator_,
                           static_cast<Wide>(a.denominator_) * b.denominator_);
}

Rational operator/(const Rational& a, const Rational& b) {
  return Rational::reduced(static_cast<Wide>(a.numerator_) * b.denominator_,
                           static_cast<Wide>(a.denominator_) * b.numerator_);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  return static_cast<Wide>(a.numerator_) * b.denominator_ <=>
         static_cast<Wide>(b.numerator_) * a.denominator_;
}

std::string to_string(const Rational& value) {
  const std::string numerator = std::to_string(value.numerator());
  return value.is_integer() ? numerator : numerator + "/" + std::to_string(value.denominator());
}

std::optional<Rational> parse_rational(std::string_view text) {
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
