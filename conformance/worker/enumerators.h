// SPDX-License-Identifier: Apache-2.0
// What Host::query_unknown() can replace.
#ifndef CONCORD_CONFORMANCE_WORKER_ENUMERATORS_H_
#define CONCORD_CONFORMANCE_WORKER_ENUMERATORS_H_

#include <string>
#include <vector>

#include "spec/problem.h"

namespace concord::conformance {

/// The names of the enumerators of `problem`; none if the plugin ABI has no room for it.
std::vector<std::string> names_of_enumerators(const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_ENUMERATORS_H_
