// SPDX-License-Identifier: Apache-2.0
// Eight places of one stream at a time, and what is made of its draws: the loops that a processor's
// vectors are for. C types alone, because its sources are compiled for processors that others are
// not.
#ifndef CONCORD_CONFORMANCE_FILL_DRAW_LANES_H_
#define CONCORD_CONFORMANCE_FILL_DRAW_LANES_H_

#include <stddef.h>
#include <stdint.h>

namespace concord::conformance {

/// The states of a Xoshiro at eight places.
struct DrawLanes {
  enum : size_t { kLanes = 8 };
  uint64_t words[4][kLanes];
};

/// How SignedInteger makes a number of two draws. `range` is at most kMostRange.
struct SignedIntegerRule {
  static constexpr uint64_t kMostRange = 1 << 19;
  uint64_t sign_bits, ups, range, excess;
  uint64_t flip;  ///< 1 if all signs are changed
};

struct DrawKernel {
  /// Draws from each lane: draws[lane count + i] for i < count.
  /// Shapes  count is a multiple of 8
  void (*draw)(DrawLanes& lanes, uint64_t* draws, size_t count);
  /// Moves each lane on, as Xoshiro::jump() does.
  void (*jump)(DrawLanes& lanes, const uint64_t polynomial[4]);
  /// Makes integers of two draws each. Returns how many: fewer than `count` where a draw may have
  /// to be dropped, or where a vector would not be full.
  size_t (*integers)(const SignedIntegerRule& rule, const uint64_t* draws, size_t count,
                     double* values);
  /// Makes numbers of f32 in scale [-1, 1), one a draw; what would be subnormal is 0. Returns how
  /// many: whole vectors.
  size_t (*reals)(double scale, const uint64_t* draws, size_t count, double* values);
};

/// For a processor with AVX-512 F and DQ.
extern const DrawKernel kDrawAvx512;

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_DRAW_LANES_H_
