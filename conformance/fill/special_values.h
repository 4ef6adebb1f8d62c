// SPDX-License-Identifier: Apache-2.0
// NaN and infinities among the inputs, for judge_special().
#ifndef CONCORD_CONFORMANCE_FILL_SPECIAL_VALUES_H_
#define CONCORD_CONFORMANCE_FILL_SPECIAL_VALUES_H_

#include <cstdint>

#include "conformance/fill.h"

namespace concord::conformance {

/// Which tensor special values are planted in.
enum class SpecialPlace { kSrc, kWeights };

/// Plants NaN, Inf and -Inf, one each, at elements that some output sees: in src anywhere, in
/// weights all in one output channel, so that the other channels stay clean. Where fewer than three
/// elements are seen, what is planted first is overwritten. Nothing if no element is seen.
/// Shapes  `inputs` as fill_inputs() makes them for `geometry`
void plant_special_values(SpecialPlace place, std::uint64_t seed,
                          const reference::Geometry& geometry, Inputs& inputs);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_SPECIAL_VALUES_H_
