// SPDX-License-Identifier: Apache-2.0
// The suite `golden`: the vectors of vectors/ as cases.
#ifndef CONCORD_CONFORMANCE_CATALOG_GOLDEN_H_
#define CONCORD_CONFORMANCE_CATALOG_GOLDEN_H_

#include <filesystem>
#include <vector>

#include "conformance/case/case.h"
#include "spec/result.h"

namespace concord::conformance {

/// The cases of all sets under `root`, by set and in the order of its manifest; ids are
/// golden/SET/ID.
/// Errors  those of vectors::load_set(); no set at all; a problem that resolve() refuses, a dst of
///         another shape than it infers, an arithmetic that parse_arithmetic() refuses, with the id
Result<std::vector<Case>> golden_cases(const std::filesystem::path& root);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_GOLDEN_H_
