// SPDX-License-Identifier: Apache-2.0
// How large the numbers of an exact fill may be, and how many of them may occur in one sum.
#ifndef CONCORD_CONFORMANCE_FILL_EXACT_LIMITS_H_
#define CONCORD_CONFORMANCE_FILL_EXACT_LIMITS_H_

#include <cstdint>

#include "plugin/concord_plugin.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// Bits that an integer may have to be exact as an input, as a product by one, and as a sum.
int exact_bits(Dtype dtype, const concord_arithmetic& arithmetic);

/// How many codes of places there may be: integers of so many bits. No more than 30 of f64's, so
/// that products of codes and extents stay within 64 bits.
Extent most_codes(Dtype dtype, const concord_arithmetic& arithmetic);

/// The largest sum |x||w| + |bias| for which every partial sum of integers is exact in the
/// accumulator, whatever the order, and the result does not overflow the dtype: 2^p, or for f16
/// with a wider accumulator its largest number, 65504.
Extent exact_sum(Dtype dtype, const concord_arithmetic& arithmetic);

/// The same for the continuous layer, where sums of pixels may be inputs of a product again, and so
/// be demoted.
Extent exact_sum_of_layer(Dtype dtype, const concord_arithmetic& arithmetic);

/// Limits for kIntegers: src in +-1..src, weights in +-1..weights of which `taps` in each output
/// channel are not zero, bias in +-1..bias; taps * src * weights + bias <= exact_sum().
struct IntegerLimits {
  Extent src, weights, bias, taps;
};
IntegerLimits integer_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                             bool has_bias);

/// The same without zeros, for the continuous layer: of more products than exact_sum_of_layer()
/// even ones exceed it.
IntegerLimits layer_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products);

/// The same as integer_limits() for kSubnormal, whose src or weights are such integers times
/// subnormal_unit(): small enough that the results of most problems stay subnormal in f16, too.
IntegerLimits subnormal_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                               bool has_bias);

/// The smallest number, or where subnormals are flushed the smallest normal one, that the dtype,
/// the accumulator and the demoted inputs all have.
double subnormal_unit(Dtype dtype, const concord_arithmetic& arithmetic);

/// True if the seed puts the unit into src (or diff_dst), false if into the weights.
inline bool unit_is_in_src(std::uint64_t seed) { return seed % 2 == 0; }

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_EXACT_LIMITS_H_
