// SPDX-License-Identifier: Apache-2.0
// Poison: what memory is filled with before a plugin sees it. Every word of it is a NaN whose
// payload tells where it was, so that a leak names its origin; dst and workspace hold numbers
// when a problem is executed again: docs/numerics.md#poison.
#ifndef CONCORD_CONFORMANCE_WORKER_POISON_H_
#define CONCORD_CONFORMANCE_WORKER_POISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "spec/dtype.h"
#include "spec/problem.h"

namespace concord::conformance {

/// The memory that holds poison. The first enumerators are those of Input.
enum class Poisoned : std::uint8_t {
  kSrcGap = 1,
  kWeightsGap,
  kBiasGap,
  kDiffDstGap,
  kDst,
  kBeside,  ///< an input, in the same page
  kWorkspace
};

/// Where a NaN comes from.
struct PoisonOrigin {
  Poisoned where;
  std::int64_t index;    ///< of the word from the beginning of the tensor, modulo `modulus`;
                         ///< kBeside: which Input
  std::int64_t modulus;  ///< how many words have distinct values
};

/// One pattern of words.
class Poison {
 public:
  /// The gaps of an input, and the memory beside it.
  static Poison gaps(Input input, Dtype dtype);
  static Poison beside(Input input, Dtype dtype);
  /// dst and workspace; `again` for an execution that has to see other garbage: numbers. What is
  /// never written is a NaN first and a number then, which no two equal results are.
  static Poison dst(Dtype dtype, bool again = false);
  static Poison workspace(Dtype dtype, bool again = false);

  /// Fills memory that begins `offset` bytes behind the beginning of the tensor, or before it if
  /// negative.
  void fill(std::span<std::byte> bytes, std::ptrdiff_t offset) const;
  /// The number of bytes there that are no longer poison.
  std::size_t count_written(std::span<const std::byte> bytes, std::ptrdiff_t offset) const;

 private:
  Poison(Poisoned where, Dtype dtype, bool again, std::int64_t fixed = -1);
  std::uint64_t word(std::int64_t index) const;
  std::byte byte(std::ptrdiff_t offset) const;
  template <class Word>
  void fill_words(std::byte* at, std::ptrdiff_t count, std::int64_t first) const;
  template <class Word>
  void repeat_words(std::byte* at, std::ptrdiff_t count, std::int64_t first) const;

  Poisoned where_;
  Dtype dtype_;
  std::ptrdiff_t unit_;       ///< bytes of a word
  std::uint64_t turned_ = 0;  ///< a bit of each exponent, which makes a NaN a number
  std::int64_t fixed_;        ///< the index of all words; -1: each has its own
};

/// What glibc's M_PERTURB is set to for a problem, printed: memory that malloc() gives is filled
/// with the complement, what free() takes with the byte. By turns of problems that is 0xFE, which
/// few values survive, and zeros, as in memory that is fresh from the system; `other` gives the one
/// that is not the problem's.
int heap_perturbation(std::string_view problem, bool other = false);

/// Where the element came from, if it is poison that is not `again`, whatever its sign: arithmetic
/// keeps a NaN's payload. Nothing for any other value, the usual NaNs of processors and compilers
/// among them.
/// Shapes  `element` has size_of(dtype) bytes
std::optional<PoisonOrigin> origin_of(Dtype dtype, const void* element);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_POISON_H_
