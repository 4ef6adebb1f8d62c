// SPDX-License-Identifier: Apache-2.0
// One function per fill; fill_inputs() chooses among them. Shapes as there.
#ifndef CONCORD_CONFORMANCE_FILL_FILL_KINDS_H_
#define CONCORD_CONFORMANCE_FILL_FILL_KINDS_H_

#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill.h"
#include "conformance/fill/real_draw.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {

/// What a fill is made for, and from.
struct FillOrder {
  std::uint64_t seed;
  Dtype dtype;
  const reference::Geometry& geometry;
  bool has_bias;
  const concord_arithmetic& arithmetic;
};

/// The same for an operation that is not discrete.
struct FormOrder {
  Fill fill;
  std::uint64_t seed;
  const Problem& problem;
  const reference::Resolution& resolution;
  const concord_arithmetic& arithmetic;
};

/// Streams of random numbers: a tensor's values do not depend on the size of another tensor.
enum class Stream : std::uint64_t { kSrc, kWeights, kBias, kDiffDst, kFactors };
inline Stream stream_of(Input input) { return static_cast<Stream>(input); }
inline Xoshiro stream(const FormOrder& order, Input input) {
  return Xoshiro(order.seed, static_cast<std::uint64_t>(stream_of(input)));
}

Inputs fill_integers(const FillOrder& order);
Inputs fill_integers_within(const FillOrder& order, const IntegerLimits& limits);
Inputs fill_impulse(const FillOrder& order);
Inputs fill_ramp(const FillOrder& order);
Inputs fill_subnormal(const FillOrder& order);
/// A conventional class: src has full mantissas, each output channel one weight, which has, too.
/// A bilinear one: each image and group has one element of src that is not zero, each output
/// channel one weight, and both are powers of two.
Inputs fill_sparse(const FillOrder& order);
Inputs fill_uniform(const FillOrder& order);
Inputs fill_wide(const FillOrder& order);
Inputs fill_special(const FillOrder& order);
Inputs fill_overflow(const FillOrder& order);

/// SpaceToBatch, BatchToSpace and CNTK's, whose weights are runs of `products` elements.
///   kIntegers         integers, in as many taps of a run as sums can hold
///   kSubnormal        such integers, src or by an odd seed the weights in subnormal units
///   kRamp             src codes its places; each run has one weight, 1
///   kImpulse          src has full mantissas; each run has one weight, a power of two
///   kSparse           as fill_sparse(); of a bilinear class one element of src in all
///   kUniform, kWide   random reals
Inputs fill_runs(const FormOrder& order);

/// The gradients of CNTK's N-D form, whose factor of diff_dst is the weights, or src.
///   kIntegers         integers; some of diff_dst are zero where sums could not hold them all
///   kSubnormal        the same, diff_dst or by an odd seed the factor in subnormal units
///   kRamp             the factor codes its places; diff_dst is 1 where no element of the result
///                     sums two products
///   kImpulse, kSparse  the factor has full mantissas, and diff_dst, in such places, a power of two
///                     or also a full one; of a bilinear class there is one product in all
///   kUniform, kWide   random reals
Inputs fill_cntk_gradient(const FormOrder& order);

/// Fill::kSpecial for all operations but the discrete ones.
///   the blocks        random reals and zeros; NaN, Inf and -Inf at an element of src each
///   CNTK's            the same; where no window meets padding also in one run of weights instead
///   their gradients   random reals and zeros; the three values at an element of diff_dst each. By
///                     the weights in src, where windows meet padding always
///   the layer         random reals and a NaN in src, or in diff_dst of its gradient by src: an
///                     infinity may meet terms of the net of either sign, in any order
/// Such that what is not finite reaches some outputs and not all, if a few attempts find it.
Inputs fill_special_form(const FormOrder& order);

/// The continuous layer and its gradients.
///   kIntegers         the last layer of the net has no coefficients, so that K_theta is constant:
///                     integers everywhere else
///   kSubnormal        the same, src (or diff_dst) or by an odd seed K_theta in subnormal units
///   kRamp             the same, but src (or diff_dst) codes its places and K_theta is 1 or 0
///   kImpulse, kSparse  the same, but src (or diff_dst) is 1 at one place and K_theta has full
///                     mantissas
///   kUniform, kWide   random reals; for the gradient by theta such that no neuron of the net is
///                     near its kink
/// The gradient by W, whose elements are sums of elements of src times elements of diff_dst:
///   kIntegers         integers
///   kSubnormal        integers, src or by an odd seed diff_dst in subnormal units
///   kRamp             src codes its places, and one image of diff_dst is 1 for each output
///   kImpulse, kSparse  src has full mantissas, and one image of diff_dst a power of two
///   kUniform, kWide   random reals
Inputs fill_continuous(const FormOrder& order);

/// A chain of continuous layers: reals of magnitudes in [1/2, 1), most of them positive, and
/// weights that come to 1 in all, so that layers hand on what the dtype holds, and little cancels.
Inputs fill_continuous_chain(const FormOrder& order);

/// The chain of atrous convolutions.
///   kUniform, kWide   random reals of magnitudes in [1/2, 1), in f16 in some taps of a channel
///   kRamp             integers; src codes its places
///   kSubnormal        integers; src in subnormal units, and so is every layer's result
///   kImpulse, kSparse  integers; src is 1 at one place
///   all others        integers: every layer's results are exact in the dtype
Inputs fill_chain(const FormOrder& order);

/// Inputs of the right sizes, all zero.
Inputs make_zeros(const FillOrder& order);
Inputs make_zeros(const Problem& problem);

/// An odd significand of `bits` bits in [1, 2), times a power of two and a sign.
double draw_full_mantissa(int bits, Xoshiro& random);
/// A power of two from 1/4 to 2, and a sign.
double draw_power(Xoshiro& random);
/// The taps that meet an element of src in some output, in the order of the weights.
std::vector<Extent> live_taps(const reference::Geometry& geometry);
/// Codes of the places of `dims`, dense: neighbours along any axis differ. 1 <= |code| <= largest.
std::vector<double> place_codes(const Extents& dims, Extent largest, Xoshiro& random);

/// Which taps each output channel gets when every one gets `count` of them: the taps are shuffled
/// and dealt out, so that the channels of a group together have every tap as early as they can.
/// Shapes  result [OC][count], values are places in `taps`' order
std::vector<std::vector<Extent>> deal_taps(const reference::Geometry& geometry,
                                           const std::vector<Extent>& taps, Extent count,
                                           std::uint64_t seed);

/// The same for any `runs` of weights, `group` after `group`.
std::vector<std::vector<Extent>> deal_taps(Extent runs, Extent group,
                                           const std::vector<Extent>& taps, Extent count,
                                           std::uint64_t seed);

/// One axis of the kernel over one axis of the input: which tap k of which output o meets an
/// element that exists.
struct Meeting {
  Extent o, k, i;
};
std::vector<Meeting> meetings(const reference::Geometry& geometry, std::size_t axis);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_FILL_KINDS_H_
