// SPDX-License-Identifier: Apache-2.0
// Traits: the few words that reports use to group cases, such as "dilated" or "depthwise".
#ifndef CONCORD_CONFORMANCE_CASE_TRAITS_H_
#define CONCORD_CONFORMANCE_CASE_TRAITS_H_

#include <string>
#include <vector>

#include "spec/problem.h"

namespace concord::conformance {

/// The traits of `problem`, in a fixed order; made for any problem, valid or not.
std::vector<std::string> traits_of(const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CASE_TRAITS_H_
