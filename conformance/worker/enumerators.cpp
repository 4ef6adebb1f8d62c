// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/enumerators.h"

#include "plugin_codec/plugin_problem.h"

namespace concord::conformance {

std::vector<std::string> names_of_enumerators(const Problem& problem) {
  std::vector<std::string> names;
  auto structs = PluginProblem::make(problem);
  if (!structs) return names;
  const auto all = enumerators_of(**structs, problem);
  names.reserve(all.size());
  for (const Enumerator& each : all) names.push_back(each.name);
  return names;
}

}  // namespace concord::conformance
