// SPDX-License-Identifier: Apache-2.0
// Blocks 1 and 2 of the continuous convolution layer on one axis, in exact rationals: where an
// output lies in the input, and which inputs are within the kernel's support there. In floating
// point, rounding would add or remove a neighbour at the border of the support.
#ifndef CONCORD_REFERENCE_CONTINUOUS_GRID_H_
#define CONCORD_REFERENCE_CONTINUOUS_GRID_H_

#include <optional>
#include <vector>

#include "spec/attributes.h"
#include "spec/rational.h"
#include "spec/result.h"
#include "spec/tensor.h"

namespace concord::reference {

/// Extents, scales and inverse scales are at most this: no grid point then leaves 64 bits.
inline constexpr Extent kLargestGridNumber = Extent{1} << 30;
/// True of a scale that is at most that, and whose inverse is.
bool is_within_grid(const Rational& scale);

/// One axis of the layer. Only resolve_continuous_axis() makes one.
struct ContinuousAxis {
  Extent in = 0, out = 0;
  Rational scale{1};  ///< k/l; a double's parts have up to 63 bits
  Extent K = 1;       ///< the kernel's support, in input pixels
  Ties ties = Ties::kHalfOpen;
  Boundary boundary = Boundary::kZero;

  /// The places for neighbours that the tensors of the layer have: one more than K if both borders
  /// of the support belong to it.
  Extent slots() const { return ties == Ties::kClosed ? K + 1 : K; }
};

/// Checks an axis; `axis.out` below 0 means ceil(scale * in).
/// Errors  kSize: in is negative, or in, out, scale or its inverse is above kLargestGridNumber;
///         kScale: scale, an inverse stride, is not positive; kKernel: K is not from 1 to
///         kLargestGridNumber
/// Source  docs/spec.md#continuous-convolution
Result<ContinuousAxis> resolve_continuous_axis(ContinuousAxis axis);

/// The projected grid (Eq. 2):  g_n = n/s + (in - 1)/2 - (out - 1)/(2s).
Rational grid_point(const ContinuousAxis& axis, Extent n);

/// The first pixel of the support around g_n: half-open and closed ceil(g - K/2), open
/// floor(g - K/2) + 1. It may be outside the image.
Extent first_neighbour(const ContinuousAxis& axis, Extent n);

/// A pixel m within the support of g_n.
struct Neighbour {
  Extent m = 0;
  Rational distance{};             ///< g_n - m, from K/2 down to -K/2
  std::optional<Extent> source{};  ///< the pixel at m; none: a zero
};

/// The neighbours of g_n, consecutive, m rising: K of them; if g_n - K/2 is an integer, that is, at
/// a tie, open K - 1 and closed K + 1.
std::vector<Neighbour> neighbours(const ContinuousAxis& axis, Extent n);

/// The pixel at `m`, which may be outside, of an image of `in` pixels. None: a zero.
/// An empty image has zeros everywhere.
std::optional<Extent> pixel_at(Boundary boundary, Extent in, Extent m);

/// The outputs p, p + k, p + 2k, .. of an axis of scale k/l, which share their distances: a
/// discrete convolution of stride l whose filter has slots() weights. Negative pads crop.
struct Phase {
  Extent count = 0, stride = 1, pad_begin = 0, pad_end = 0;
  bool operator==(const Phase&) const = default;
};
/// The min(k, out) phases of an axis.
std::vector<Phase> phases(const ContinuousAxis& axis);

/// a * b, or nothing if a part of it does not fit 64 bits.
std::optional<Rational> product(const Rational& a, const Rational& b);

/// The sizes of the layers of a chain (Eq. 4): after layer j ceil(in * s_1 * .. * s_j), after the
/// last one in * target.
/// Errors  kScale: a scale or target is not positive; kSize: no scales, in is negative or above
///         kLargestGridNumber, a product does not fit 64 bits, in * target is not an integer
Result<Extents> chain_sizes(Extent in, const std::vector<Rational>& scales, const Rational& target);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CONTINUOUS_GRID_H_
