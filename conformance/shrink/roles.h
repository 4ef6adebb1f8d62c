// SPDX-License-Identifier: Apache-2.0
// The extents of a convolution by role, independent of its formats.
#ifndef CONCORD_CONFORMANCE_SHRINK_ROLES_H_
#define CONCORD_CONFORMANCE_SHRINK_ROLES_H_

#include <optional>
#include <vector>

#include "conformance/catalog/extents.h"
#include "spec/problem.h"

namespace concord::conformance {

/// The extents of a problem whose ranks, groups and channels fit together; nothing for any other,
/// and for an operation whose axes have other roles.
std::optional<Shape> fitting_shape(const Problem& problem);

/// `problem` with these extents, as many spatial axes as it has. Strides of src, weights, bias and
/// dst stay: they remain valid for smaller extents.
Problem reshaped(const Problem& problem, const Shape& shape);

/// `problem` without spatial axis `axis`; nothing if it has fewer than two, or its attributes lack
/// an entry for each. Tensors become dense.
std::optional<Problem> without_axis(const Problem& problem, std::size_t axis);

/// `problem` with its tensors in channels-first order, dense ones; none if they are.
std::vector<Problem> in_plain_formats(const Problem& problem);

/// `problem` with one tensor's gaps made as small as its order of axes allows: one element behind
/// each row, or none; none where that changes nothing.
std::vector<Problem> with_smaller_gaps(const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_ROLES_H_
