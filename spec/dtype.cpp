// SPDX-License-Identifier: Apache-2.0
#include "spec/dtype.h"

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "plugin/concord_plugin.h"
#include "spec/check.h"

namespace concord {
namespace {

// Narrows to float by rounding to odd: an inexact result gets its last bit set. A second rounding
// to a format with at least two bits fewer then gives what one rounding from double would.
// Source: Boldo and Melquiond, "When double rounding is odd", IMACS 2005.
float narrow_to_odd(double value) {
  float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) {
    nearest = std::nextafterf(nearest, 0.0F);
  }
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) | 1U);
}

template <class T>
T narrow(double value) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return static_cast<T>(narrow_to_odd(value));
  }
}

template <class T>
double widen(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

struct Row {
  Format format;
  concord_dtype code;  // the plugin ABI counts dtypes from 1
};
constexpr std::array kRows = {
    Row{{24, -126, 127, 4}, CONCORD_F32}, Row{{11, -14, 15, 2}, CONCORD_F16},
    Row{{8, -126, 127, 2}, CONCORD_BF16}, Row{{53, -1022, 1023, 8}, CONCORD_F64}};

constexpr bool counts_from_1() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].code != i + 1) return false;
  }
  return kRows.size() == kDtypes.size();
}
static_assert(counts_from_1());

// Calls `visit` with a value of the C++ type that stands for `dtype`.
template <class Visit>
auto with_type(Dtype dtype, Visit visit) {
  switch (dtype) {
    case Dtype::kF32:
      return visit(float{});
    case Dtype::kF16:
      return visit(Eigen::half{});
    case Dtype::kBF16:
      return visit(Eigen::bfloat16{});
    case Dtype::kF64:
      return visit(double{});
  }
  CONCORD_CHECK(false) << "dtype " << static_cast<int>(dtype);
  return visit(float{});
}

}  // namespace

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (const Dtype dtype : kDtypes) {
    if (text == to_string(dtype)) return dtype;
  }
  return std::nullopt;
}

const Format& format_of(Dtype dtype) { return kRows[static_cast<std::size_t>(dtype)].format; }

double Format::unit_roundoff() const { return std::ldexp(1.0, -significand_bits); }
double Format::smallest() const { return std::ldexp(1.0, min_exponent - significand_bits + 1); }
double Format::normal() const { return std::ldexp(1.0, min_exponent); }
double Format::largest() const {
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - significand_bits), max_exponent);
}

double load(Dtype dtype, const void* element) {
  return with_type(dtype, [&](auto value) {
    std::memcpy(&value, element, sizeof value);
    return widen(value);
  });
}

void store(Dtype dtype, double value, void* element) {
  with_type(dtype, [&](auto narrowed) {
    narrowed = narrow<decltype(narrowed)>(value);
    std::memcpy(element, &narrowed, sizeof narrowed);
  });
}

double round_to(Dtype dtype, double value) {
  return with_type(dtype, [&](auto narrowed) {
    narrowed = narrow<decltype(narrowed)>(value);
    return widen(narrowed);
  });
}

void load(Dtype dtype, std::span<const std::byte> elements, std::span<double> values) {
  CONCORD_CHECK(elements.size() == values.size() * size_of(dtype));
  with_type(dtype, [&](auto value) {
    const std::byte* from = elements.data();
    for (double& to : values) {
      std::memcpy(&value, from, sizeof value);
      to = widen(value);
      from += sizeof value;
    }
  });
}

void store(Dtype dtype, std::span<const double> values, std::span<std::byte> elements) {
  CONCORD_CHECK(elements.size() == values.size() * size_of(dtype));
  with_type(dtype, [&](auto narrowed) {
    std::byte* to = elements.data();
    for (const double from : values) {
      narrowed = narrow<decltype(narrowed)>(from);
      std::memcpy(to, &narrowed, sizeof narrowed);
      to += sizeof narrowed;
    }
  });
}

}  // namespace concord
