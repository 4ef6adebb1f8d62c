// SPDX-License-Identifier: Apache-2.0
// The cases of full that smoke adds to its systematic part, chosen by planted bugs.
#ifndef CONCORD_CONFORMANCE_CATALOG_CHOSEN_H_
#define CONCORD_CONFORMANCE_CATALOG_CHOSEN_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace concord::conformance {

/// Ids of cases, and the bugs that each was chosen for.
using Chosen = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The ids in chosen.txt, each with the bugs that it was chosen for: "ID: bug bug ..". Lines that
/// begin with "#" are comments. `concord grade --choose` writes that file.
Chosen chosen_cases();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_CHOSEN_H_
