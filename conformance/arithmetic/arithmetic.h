// SPDX-License-Identifier: Apache-2.0
// Arithmetic classes as text, and the numbers behind their fields.
// Source: docs/numerics.md#arithmetic-classes
#ifndef CONCORD_CONFORMANCE_ARITHMETIC_ARITHMETIC_H_
#define CONCORD_CONFORMANCE_ARITHMETIC_ARITHMETIC_H_

#include <optional>
#include <string>
#include <string_view>

#include "plugin/concord_plugin.h"
#include "spec/dtype.h"
#include "spec/result.h"
#include "spec/rounding.h"

namespace concord::conformance {

/// What is wrong with a declared class: a sentence with the field and its value, or nothing if
/// every field has a value that the header names. All other functions here require a valid class.
std::optional<std::string> find_unknown(const concord_arithmetic& arithmetic);

/// The class as text: "strict", or the fields that differ from it, such as
///   input=tf32,accumulator=f16,accumulator_rounding=zero,output_rounding=zero,flush=yes,
///   algorithm=bilinear,bias=after_store,zero_weights=skipped      (on one line)
std::string print(const concord_arithmetic& arithmetic);

/// Reads what print() writes, words in any order; and the short words tf32, bf16 and bf16x3 (of
/// inputs), f16-accumulate, bf16-accumulate, f64-accumulate, flush, bilinear.
/// Errors  kSyntax naming the word: an unknown word, key or value, a key given twice
Result<concord_arithmetic> parse_arithmetic(std::string_view text);

/// The numbers that sums are kept in.
struct Accumulator {
  int bits;         ///< of the significand: 24, 53, 11 or 8
  double smallest;  ///< positive number, subnormal
  double normal;    ///< smallest positive normal number
  double largest;   ///< finite number
  bool toward_zero;
  bool faithful;  ///< either neighbour of a result, or sums of terms cut off on alignment
  /// u: one operation gives (a op b)(1 + d) with |d| <= u. 2^-bits to nearest, twice that toward
  /// zero or to either neighbour. Of f16 and bf16 also if each result is rounded to f32 first, as
  /// by conversion instructions: u + 2^-24 (1 + u).
  double unit_roundoff;
};
/// What sums of this dtype are kept in. Sums of f64 are in f64, whatever accumulator is declared:
/// there is no narrower class of f64.
Accumulator accumulator_of(Dtype dtype, const concord_arithmetic& arithmetic);

/// Significant bits of an input that survive multiplication, such that the product is exact: 8 for
/// bf16x3, which omits the product of the two low parts. Inputs of f64 are not demoted.
int exact_input_bits(Dtype dtype, const concord_arithmetic& arithmetic);

/// The rounding that the class declares for its results.
Rounding output_rounding(const concord_arithmetic& arithmetic);

bool is_bilinear(const concord_arithmetic& arithmetic);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ARITHMETIC_ARITHMETIC_H_
