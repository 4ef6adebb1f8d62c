// SPDX-License-Identifier: Apache-2.0
// The text about a wrong element: the same on the terminal, in results.json and in the report.
#ifndef CONCORD_CONFORMANCE_RECORD_FAILURE_TEXT_H_
#define CONCORD_CONFORMANCE_RECORD_FAILURE_TEXT_H_

#include <string>

#include "conformance/judge/judge.h"
#include "conformance/record/case_result.h"

namespace concord::conformance {

/// Nine digits, which distinguish any two f32; "nan" whatever its sign, which has no meaning.
std::string value_text(double value);

/// The values of the dtype that the judge accepts, with the reason if it is only one:
///   "from 1.24999988 to 1.25000012"
///   "1 alone, which every order of summation gives"
///   "52416 alone, of the two nearest f16 the even one"
///   "1.25 alone, to which every sum within the error bound rounds"
std::string accepted_text(Dtype dtype, const concord_arithmetic& arithmetic,
                          const WrongElement& wrong);

/// "dst[0,1,0]: got 0, want 1, accepted 1 alone, which every order of summation gives"
std::string element_text(const Failure& failure);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_FAILURE_TEXT_H_
