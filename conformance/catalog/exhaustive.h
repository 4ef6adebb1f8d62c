// SPDX-License-Identifier: Apache-2.0
// The suite `exhaustive`: a finite space of discrete problems, walked completely.
// docs/suites.md#exhaustive
#ifndef CONCORD_CONFORMANCE_CATALOG_EXHAUSTIVE_H_
#define CONCORD_CONFORMANCE_CATALOG_EXHAUSTIVE_H_

#include <cstdint>
#include <memory>

#include "conformance/case/case_list.h"

namespace concord::conformance {

/// Each pair of windows of an axis within small bounds on the two axes of a problem, with dtype and
/// formats by turns: family window_pairs of `full`.
std::shared_ptr<const CaseSource> window_pair_sweep(std::uint64_t seed);

/// More than ten million cases, made by number: families every_1d, every_2d, every_3d, every_pair
/// and every_refused.
CaseList exhaustive_cases(std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_EXHAUSTIVE_H_
