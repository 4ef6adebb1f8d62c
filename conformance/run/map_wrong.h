// SPDX-License-Identifier: Apache-2.0
// Where wrong elements lie in dst, small enough for a results file.
#ifndef CONCORD_CONFORMANCE_RUN_MAP_WRONG_H_
#define CONCORD_CONFORMANCE_RUN_MAP_WRONG_H_

#include <span>

#include "conformance/record/wrong_map.h"
#include "reference/reference.h"
#include "spec/problem.h"

namespace concord::conformance {

/// The map of the elements at these places, in reading order, as the judge counts them. The picture
/// has the last two axes of the reading order: of a discrete operation height and width, or
/// channels and width.
/// Shapes  `resolution` is that of `problem`; dst has at least one axis and one element
WrongMap map_wrong(const Problem& problem, const reference::Resolution& resolution,
                   std::span<const std::size_t> places);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_MAP_WRONG_H_
