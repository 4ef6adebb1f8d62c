// SPDX-License-Identifier: Apache-2.0
// Problems for properties. Every generator shrinks towards small extents.
#ifndef CONCORD_FUZZ_GENERATORS_H_
#define CONCORD_FUZZ_GENERATORS_H_

#include <rapidcheck.h>

#include <iosfwd>

#include "fuzz/integer_data.h"
#include "spec/problem.h"

namespace concord {

/// Prints the problem line, for the reports of failed properties.
std::ostream& operator<<(std::ostream& out, const Problem& problem);

}  // namespace concord

namespace concord::fuzz {

/// A valid problem of any discrete operation, dtype, reading, formats, groups, padding and layout:
/// 1 to 3 spatial axes, extents up to about 10, or 4 to 6 shorter ones of a Convolution1, sometimes
/// an empty batch or an empty output. In one of four, dst is given, with strides.
rc::Gen<Problem> small_problem();

/// A valid AtrousConv2d with padding VALID in the documented reading, whose output may be smaller
/// or larger than what fits.
rc::Gen<Problem> documented_valid_problem();

/// A problem that is anything that the text form can write: mostly nonsense, extremes included.
rc::Gen<Problem> any_problem();

/// A small problem in which one to three things were replaced by nonsense, so that each check of
/// resolve() is reached. Strides may be too few or too many, which no text can say.
rc::Gen<Problem> spoiled_problem();

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_GENERATORS_H_
