// SPDX-License-Identifier: Apache-2.0
// Finds the simplest rule over a problem's attributes that separates failing from passing
// cases.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_DIAGNOSE_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_DIAGNOSE_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/record/case_result.h"
#include "conformance/record/diagnosis.h"
#include "conformance/record/shrunk.h"
#include "conformance/record/sparse.h"

namespace concord::conformance {

/// "fails whenever groups > 1 and dilation_h != dilation_w: 41 of 41; never otherwise: 0 of 5,210".
std::string to_string(const Diagnosis& diagnosis);

/// The rule of at most three conditions that fits best: the one by which it takes the fewest bits
/// to say which cases fail, each condition being worth as many as it takes to choose it. From 20
/// failures on, conditions count only if rules found on half of the cases tell the other half the
/// better for them, or if the rule is exact. Invalid problems that are refused are left out, unless
/// some are accepted; and where only invalid problems fail, all others are. Problems without an
/// element of src or of dst are left out, unless they fail. A condition is true of
/// the smallest case of each failure of which it is true, where that is known. Nothing for fewer
/// than three failures, or if no rule explains them: less than two in three of the cases that it
/// covers fail, it covers less than half of the failures, or what it does not cover fails more than
/// half as often.
/// `threads` is how many the backend was given.
/// Shapes  a result a case; those that neither passed nor failed count for nothing
std::optional<Diagnosis> diagnose(const CaseList& cases, const Sparse<CaseResult>& results,
                                  const std::vector<Shrunk>& shrunk = {}, int threads = 1);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_DIAGNOSE_H_
