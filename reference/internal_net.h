// SPDX-License-Identifier: Apache-2.0
// Block 3 of the continuous convolution layer: the continuous kernel K_theta at one point.
#ifndef CONCORD_REFERENCE_INTERNAL_NET_H_
#define CONCORD_REFERENCE_INTERNAL_NET_H_

#include <array>
#include <optional>
#include <span>

#include "reference/oracle.h"
#include "spec/tensor.h"

namespace concord::reference {

/// A distance, or a fractional offset: vertical, horizontal.
using Distance = std::array<double, 2>;

/// The Internal-Net (Table 2): three affine layers, the first two followed by LeakyReLU.
///
///   a1 = phi(A1 d + b1),  a2 = phi(A2 a1 + b2),  out = A3 a2 + b3
///   phi(z) = z if z > 0, else slope * z
///
/// Shapes  d [2], A1 [w1,2], b1 [w1], A2 [w2,w1], b2 [w2], A3 [C_final,w2], b3 [C_final]
///         theta: A1, b1, A2, b2, A3, b3, each row-major
/// Source  docs/spec.md#continuous-convolution
struct InternalNet {
  Extent w1 = 16, w2 = 16, C_final = 1;
  double slope = 0.01;
};

/// How many elements theta has: 3 w1 + (w1 + 1) w2 + (w2 + 1) C_final. Nothing if it overflows or
/// an extent is negative.
std::optional<Extent> parameter_count(const InternalNet& net);

/// Evaluates the net at `d`: C_final values, each with the sum of the magnitudes that went into it
/// through all three layers, the scale of any computation's rounding error.
///
///   m1 = L (|A1||d| + |b1|),  m2 = L (|A2| m1 + |b2|),  magnitude = |A3| m2 + |b3|
///   L = max(1, |slope|), by which phi may stretch an error
///
/// Numeric  f64; of each sum the bias first, then rising column
Oracle evaluate_net(const InternalNet& net, std::span<const double> theta, const Distance& d);

/// Adds the gradient of `G . out` to `gradient`, which is shaped as theta, and returns the gradient
/// with respect to d. At its kink the derivative of phi is slope.
///
///   A3 += G a2^T, b3 += G;  g2 = (A3^T G) phi'(z2), A2 += g2 a1^T, b2 += g2;
///   g1 = (A2^T g2) phi'(z1), A1 += g1 d^T, b1 += g1;  d: A1^T g1
Distance backpropagate_net(const InternalNet& net, std::span<const double> theta, const Distance& d,
                           std::span<const double> G, std::span<double> gradient);

/// Adds to `magnitude`, which is shaped as theta, the sums of the magnitudes that go into
/// backpropagate_net()'s gradient: the same with |G|, |A|, m1, m2 and L in place of phi'. It bounds
/// rounding errors only where they move no z across the kink of phi. Returns those of d's gradient.
Distance add_gradient_magnitudes(const InternalNet& net, std::span<const double> theta,
                                 const Distance& d, std::span<const double> G_magnitude,
                                 std::span<double> magnitude);

/// The interpolating cubic of Keys with a = -1/2, for double or Rational.
///
///   |d| <= 1: 3/2 |d|^3 - 5/2 |d|^2 + 1;  |d| < 2: -1/2 |d|^3 + 5/2 |d|^2 - 4 |d| + 2;  else 0
template <class Number>
Number keys_cubic(const Number& d) {
  const Number zero(0), one(1), two(2);
  const Number x = d < zero ? -d : d;
  if (x <= one) return x * x * (Number(3) * x - Number(5)) / two + one;
  if (x < two) return x * (x * (Number(5) - x) - Number(8)) / two + two;
  return zero;
}

/// Its derivative.
double keys_slope(double d);
/// The sums of the magnitudes of their terms, which cancel.
double keys_magnitude(double d);
double keys_slope_magnitude(double d);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_INTERNAL_NET_H_
