// SPDX-License-Identifier: Apache-2.0
// Two executions that should have left the same bits in dst, and the first element in which they
// did not.
#ifndef CONCORD_CONFORMANCE_RUN_OTHER_BITS_H_
#define CONCORD_CONFORMANCE_RUN_OTHER_BITS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "spec/problem.h"

namespace concord::conformance {

/// An element whose bits differ in a later execution.
struct OtherBits {
  Extents element{};  ///< its index, in the axis order of dst
  double before = 0, now = 0;
};

/// The first of them in the order of dst's axes. Two NaN are the same, whatever their signs and
/// payloads are; 0 and -0 are not.
/// Shapes  `before` and `now` are dst's memory
std::optional<OtherBits> find_other_bits(Dtype dtype, const Tensor& dst,
                                         std::span<const std::byte> before,
                                         std::span<const std::byte> now);

/// "dst[0,3,1] was 1.5 and then 1.25".
std::string describe(const OtherBits& bits);
/// "dst[0,3,1] was 1.5 with threads=2 and 1.25 with threads=1".
std::string describe(const OtherBits& bits, int threads, int other_threads);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_OTHER_BITS_H_
