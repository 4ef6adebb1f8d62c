// SPDX-License-Identifier: Apache-2.0
// The element types of tensors, and the two conversions that everything else is built on: exact
// widening to double, and narrowing from double with one rounding to nearest, ties to even.
#ifndef CONCORD_SPEC_DTYPE_H_
#define CONCORD_SPEC_DTYPE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "spec/words.h"

namespace concord {

enum class Dtype { kF32, kF16, kBF16, kF64 };
template <>
inline constexpr std::array kWords<Dtype> = std::to_array<std::string_view>({"f32", "f16", "bf16",
                                                                             "f64"});
inline constexpr auto kDtypes = kAll<Dtype>;
/// Those that every model, sweep and generator of problems has. Others, such as f64, have cases of
/// their own.
inline constexpr Dtype kCommonDtypes[] = {Dtype::kF32, Dtype::kF16, Dtype::kBF16};

/// The inverse of to_string; nothing for any other text.
std::optional<Dtype> parse_dtype(std::string_view text);

/// What a binary floating-point format can hold. Source: IEEE 754-2019, Table 3.5; bfloat16 has
/// f32's exponents and 8 significant bits.
struct Format {
  int significand_bits;  ///< with the implicit bit: 24, 11, 8, 53
  int min_exponent;      ///< of the smallest normal number 2^min_exponent: -126, -14, -126, -1022
  int max_exponent;      ///< of the largest binade: 127, 15, 127, 1023
  std::size_t bytes;

  /// Half the distance from 1 to the next number: RN(a op b) = (a op b)(1 + d) with |d| <= u.
  double unit_roundoff() const;
  /// The smallest positive number, subnormal.
  double smallest() const;
  /// The smallest positive normal number.
  double normal() const;
  /// The largest finite number.
  double largest() const;
};
const Format& format_of(Dtype dtype);
inline std::size_t size_of(Dtype dtype) { return format_of(dtype).bytes; }

/// Reads one element. Exact: every value of every dtype is a double. NaN stays NaN.
double load(Dtype dtype, const void* element);

/// Writes the dtype's value nearest to `value`, ties to even, overflow to infinity.
/// Numeric  one rounding, straight from double: never through float, which would round twice
void store(Dtype dtype, double value, void* element);

/// The value that store() would leave: RN(value) in the dtype.
double round_to(Dtype dtype, double value);

/// Reads or writes a dense run of elements.
/// Shapes  `elements` has values.size() * size_of(dtype) bytes
void load(Dtype dtype, std::span<const std::byte> elements, std::span<double> values);
void store(Dtype dtype, std::span<const double> values, std::span<std::byte> elements);

}  // namespace concord

#endif  // CONCORD_SPEC_DTYPE_H_
