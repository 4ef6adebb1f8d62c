// SPDX-License-Identifier: Apache-2.0
// What the descriptions of all algorithms have in common.
#ifndef CONCORD_OPTIMIZED_DESCRIBE_H_
#define CONCORD_OPTIMIZED_DESCRIBE_H_

#include <iosfwd>

#include "optimized/shape/shape.h"

namespace concord::optimized {

/// Multiply-adds count as two. Taps that read padding are counted, too.
double operations_of(const Shape& shape);
/// A cycle's: two multiply-adds of a vector are issued, or one dot product of pairs.
constexpr double vector_operations(Extent lanes) { return 4.0 * static_cast<double>(lanes); }
/// Which limit of a core is met first, of its arithmetic or of memory.
void describe_bound(const Shape& shape, double operations, double operations_a_cycle,
                    std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DESCRIBE_H_
