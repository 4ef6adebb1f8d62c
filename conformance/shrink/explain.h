// SPDX-License-Identifier: Apache-2.0
// One wrong output element, tap by tap: which products it should sum, and which ones the backend
// seems to sum, found out by asking it with one weight at a time.
#ifndef CONCORD_CONFORMANCE_SHRINK_EXPLAIN_H_
#define CONCORD_CONFORMANCE_SHRINK_EXPLAIN_H_

#include <string>
#include <vector>

#include "conformance/shrink/trial.h"

namespace concord::conformance {

/// A line a tap of the element that `result` shows, and a line for the bias:
///   weights[0,0,0,1] = 2 x src[0,0,0,3] = 1; the backend: x src[0,0,0,2]
/// and what it all comes to. The backend is asked as in the execution that failed. Weights that the
/// element should not use have a line if the backend uses them. Indices are in the tensors' own
/// axis order. Nothing if no element is wrong, if it is not wrong when asked again in a process of
/// its own, or if the problem is so large that nobody would read it.
std::vector<std::string> explain(const Case& source, const CaseResult& result,
                                 const TrialOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_EXPLAIN_H_
