// SPDX-License-Identifier: Apache-2.0
// Cases whose tensors are larger than memory. Where few elements span it, by strides, all of them
// have data and are judged as ever. Of dense tensors a few elements have data, and an output is
// judged by those that reach it: conformance/huge/local_data.h.
#ifndef CONCORD_CONFORMANCE_RUN_HUGE_H_
#define CONCORD_CONFORMANCE_RUN_HUGE_H_

#include "conformance/run/steps.h"

namespace concord::conformance {

/// Prepares, executes and judges a case that is_huge(), of a plugin that was asked.
CaseResult examine_huge(PreparedCase& prepared, const Asked& asked, Host& host,
                        const ExamineOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_HUGE_H_
