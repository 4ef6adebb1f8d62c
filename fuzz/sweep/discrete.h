// SPDX-License-Identifier: Apache-2.0
// One discrete convolution, computed by both sides.
#ifndef CONCORD_FUZZ_SWEEP_DISCRETE_H_
#define CONCORD_FUZZ_SWEEP_DISCRETE_H_

#include "fuzz/sweep/tally.h"
#include "spec/problem.h"

namespace concord::fuzz {

/// Compares both sides on `problem`, whose tensors are dense f32, and on the same problem in each
/// other pair of formats, if it has formats; values are integers.
void compare_discrete(const Problem& problem, Tally* tally);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_SWEEP_DISCRETE_H_
