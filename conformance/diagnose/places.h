// SPDX-License-Identifier: Apache-2.0
// Where in dst failures have their wrong elements: at the same end of an axis, perhaps.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_PLACES_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_PLACES_H_

#include <string>

#include "conformance/case/case_list.h"
#include "conformance/record/case_result.h"
#include "conformance/record/sparse.h"

namespace concord::conformance {

/// "every wrong element lies in the last column and the first channel"; empty if the failures have
/// no such place in common. An axis says something where dst is longer than one along it, and only
/// if three failures are: then all of them must agree. An axis of more than 16 is counted by
/// sixteenths, and "the last sixteenth of the columns" is said where that is more than one.
std::string wrong_places(const CaseList& cases, const Sparse<CaseResult>& results);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_PLACES_H_
