// SPDX-License-Identifier: Apache-2.0
// Nonsense in the place of an attribute, whatever the operation is.
#ifndef CONCORD_FUZZ_SPOILER_H_
#define CONCORD_FUZZ_SPOILER_H_

#include "spec/problem.h"

namespace concord::fuzz {

/// Draws a number that need not make sense.
using Number = Extent (*)();

/// Replaces one attribute, or one element of a list, by nonsense of `number`; a choice by any word
/// of it, a padding by one that is not spelt as the document has it.
void spoil_attribute(Problem& problem, Number number);

/// Not as the document has it; the C structs do not carry the text.
void misspell(TfPadding& padding, std::string& other);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_SPOILER_H_
