// SPDX-License-Identifier: Apache-2.0
// Small random problems whose results are exact in every dtype, and those results: what tests of
// backends compare with, bit for bit.
#ifndef CONCORD_BACKENDS_SMALL_PROBLEMS_H_
#define CONCORD_BACKENDS_SMALL_PROBLEMS_H_

#include <random>
#include <vector>

#include "spec/problem.h"

namespace concord::backends {

/// Integer values, each tensor in the order of its own axes; bias empty without one.
struct Values {
  std::vector<double> src, weights, bias;
};

/// How large a random problem may be.
struct Limits {
  Extent spatial_rank, kernel;  ///< a kernel's extent on each axis
  Extent channels;              ///< of a group, in src and in dst
  Extent fewest_channels = 1;
};

/// A Convolution with explicit pads, any formats, up to 3 groups and 9 elements on a spatial axis.
/// Tensors have gaps between their elements every second time; dst is complete.
Problem random_problem(std::mt19937_64& random, Dtype dtype, const Limits& limits);

/// Values of at most 3, and small enough that every sum is exact in the dtype, those on the way
/// too.
/// Errors  none: an element sums so few products that at least values of 1 are
Values random_values(std::mt19937_64& random, const Problem& problem);

/// dst by the formula, in the order of its own axes.
///
///   dst[n,oc,o] = bias[oc] + sum over ic, k of src[n, g*IC/G+ic, o*S + k*D - pad] *
///                 weights[oc,ic,k]
///
/// Numeric  in f64
/// Errors   none: `problem` is a valid Convolution with explicit pads
std::vector<double> convolve_plainly(const Problem& problem, const Values& values);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_SMALL_PROBLEMS_H_
