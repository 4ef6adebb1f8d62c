// SPDX-License-Identifier: Apache-2.0
// Problems listed in text files, one per line: "name: problem line"; "#" begins a comment line.
#ifndef CONCORD_CONFORMANCE_CATALOG_LISTED_H_
#define CONCORD_CONFORMANCE_CATALOG_LISTED_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalog/text_file.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::conformance {

struct Listed {
  std::string name{};
  Problem problem{};
  std::size_t line = 0;  ///< its number, from 1
  /// The value of `expect=` after the problem: the fault that the problem is refused for,
  /// "invalid" for any, or nothing.
  std::string expected{};
};

/// Reads the lines of a file; messages call it `name`.
/// Errors  kSyntax, naming file and line: a line without a name, a name given twice or with other
///         characters than [a-z0-9_-], a problem that parse() refuses, no fault behind expect=
Result<std::vector<Listed>> read_listed(const TextFile& file);

/// The problems of the embedded file `name`. That they can be read is tested; aborts otherwise.
std::vector<Listed> listed(std::string_view name);

/// A network and its layers, with their true extents.
struct Network {
  std::string name{};
  std::vector<Listed> layers{};
};
/// All networks under layers/.
std::vector<Network> networks();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_LISTED_H_
