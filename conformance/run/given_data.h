// SPDX-License-Identifier: Apache-2.0
// Cases whose data are given element by element instead of generated from a seed.
#ifndef CONCORD_CONFORMANCE_RUN_GIVEN_DATA_H_
#define CONCORD_CONFORMANCE_RUN_GIVEN_DATA_H_

#include <string>
#include <string_view>

#include "conformance/fill/fill.h"
#include "spec/result.h"

namespace concord::conformance {

/// The case of `problem` with these inputs: the reference gives the expected values. Values are
/// judged bit for bit where every sum of them is exact, else within the bound of the class.
/// Shapes  as fill_inputs() makes them; `problem` resolves
Case with_data(const Problem& problem, Inputs inputs);

/// The inputs as one word: "src=0*12,1,0*5;weights=1,2;bias=0", where 0*12 is twelve zeros;
/// channels first, last axis fastest. The digits of each number are as many as give it back.
std::string print_data(const Problem& problem, const Inputs& inputs);

/// Reads what print_data() writes, and hexadecimal numbers such as 0x1.8p-3.
/// Errors  kSyntax naming what is wrong: a list that is missing or of another length than
///         `problem` needs, an invalid number or one that the dtype cannot hold
Result<Inputs> parse_data(std::string_view text, const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_GIVEN_DATA_H_
