// SPDX-License-Identifier: Apache-2.0
// Moves: each makes a problem a little simpler. The result need not be valid or fail; that is for
// the search to check.
#ifndef CONCORD_CONFORMANCE_SHRINK_MOVES_H_
#define CONCORD_CONFORMANCE_SHRINK_MOVES_H_

#include <functional>
#include <vector>

#include "spec/problem.h"

namespace concord::conformance {

/// Problems that are simpler in one respect, the simplest first; none if it is as simple as can be.
/// Repeating a move ends: each one brings some number nearer to its least, or a choice to its
/// plainest.
using Move = std::function<std::vector<Problem>(const Problem&)>;

/// All moves for problems of this one's operation, those that take away most first: tensors that
/// are optional, spatial axes, the batch, groups, channels, extents, then attributes and layouts.
std::vector<Move> moves_for(const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_MOVES_H_
