// SPDX-License-Identifier: Apache-2.0
// The catalogue of planted bugs that comes with the plugin `faulty`.
#ifndef CONCORD_CONFORMANCE_COMMAND_PLANTED_BUGS_H_
#define CONCORD_CONFORMANCE_COMMAND_PLANTED_BUGS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace concord::conformance {

/// A planted bug, as the faulty plugin's catalogue describes it.
struct PlantedBug {
  std::string name{}, family{}, sentence{}, source{};
  std::string shows{};  ///< "always", or "by chance": a case that found it may not find it again
};

/// All of them, from the plugin in that folder.
/// Errors  UsageError: there is no such plugin, or it has no catalogue
std::vector<PlantedBug> planted_bugs(const std::filesystem::path& plugins);

/// A line of name, family, when it shows, and sentence.
std::string line_of(const PlantedBug& bug);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_PLANTED_BUGS_H_
