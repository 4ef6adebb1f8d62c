// SPDX-License-Identifier: Apache-2.0
// How large the numbers of an exact fill may be, and how many of them may meet in one sum.
#ifndef CONCORD_CONFORMANCE_FILL_EXACT_LIMITS_H_
#define CONCORD_CONFORMANCE_FILL_EXACT_LIMITS_H_

#include "plugin/concord_plugin.h"
#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// Bits that an integer may have to be exact as an input, as a product by one, and as a sum.
int exact_bits(Dtype dtype, const concord_arithmetic& arithmetic);

/// The largest sum |x||w| + |bias| for which every partial sum of integers is exact in the
/// accumulator, whatever the order, and the result does not overflow the dtype: 2^p, or for f16
/// with a wider accumulator its largest number, 65504.
Extent exact_sum(Dtype dtype, const concord_arithmetic& arithmetic);

/// Limits for kIntegers: src in +-1..src, weights in +-1..weights of which `taps` in each output
/// channel are not zero, bias in +-1..bias; taps * src * weights + bias <= exact_sum().
struct IntegerLimits {
  Extent src, weights, bias, taps;
};
IntegerLimits integer_limits(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                             bool has_bias);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_EXACT_LIMITS_H_
