// SPDX-License-Identifier: Apache-2.0
// Traces a poison NaN in dst to the memory it was read from.
#ifndef CONCORD_CONFORMANCE_RUN_LEAK_H_
#define CONCORD_CONFORMANCE_RUN_LEAK_H_

#include <cstddef>
#include <span>
#include <string>

#include "spec/problem.h"

namespace concord::conformance {

/// If element `index` of dst holds poison, a sentence that names its origin:
///   "dst[0,1] was never written, or added to what was there"
///   "dst[0,1] holds a value from a gap in src, 17 elements from its beginning"
/// Empty if it holds anything else.
/// Shapes  `bytes` is dst's memory, `index` in its own axis order
std::string describe_leak(const Problem& problem, const Tensor& dst, const Extents& index,
                          std::span<const std::byte> bytes);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_LEAK_H_
