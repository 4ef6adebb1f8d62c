// SPDX-License-Identifier: Apache-2.0
// What the descriptions of all algorithms have in common.
#ifndef CONCORD_OPTIMIZED_DESCRIBE_H_
#define CONCORD_OPTIMIZED_DESCRIBE_H_

#include <iosfwd>

#include "optimized/context.h"

namespace concord::optimized {

/// Multiply-adds count as two. Taps that read padding are counted, too.
double operations_of(const Shape& shape);
/// A cycle's: two multiply-adds of a vector are issued, or one dot product of pairs.
double vector_operations(const Context& context, Extent lanes);
/// Which limit of a core is met first, of its arithmetic or of memory.
void describe_bound(const Context& context, double operations, double operations_a_cycle,
                    std::ostream& out);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_DESCRIBE_H_
