// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/planted_bugs.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <sstream>

#include "conformance/command/command.h"
#include "conformance/run/backend_spec.h"

namespace concord::conformance {

std::vector<PlantedBug> planted_bugs(const std::filesystem::path& plugins) {
  const auto faulty = find_backend("faulty", plugins);
  if (!faulty) throw UsageError(faulty.why().detail);
  const std::string& path = faulty->path;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UsageError(fmt::format("planted bugs: {}", dlerror()));
  using Catalogue = const char* (*)();
  const auto catalogue = reinterpret_cast<Catalogue>(dlsym(library, "concord_faulty_catalogue"));
  if (catalogue == nullptr) {
    throw UsageError(fmt::format("planted bugs: {} has no catalogue", path));
  }
  std::vector<PlantedBug> bugs;
  std::istringstream lines(catalogue());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    PlantedBug bug;
    std::getline(fields, bug.name, '\t');
    std::getline(fields, bug.family, '\t');
    std::getline(fields, bug.sentence, '\t');
    std::getline(fields, bug.source, '\t');
    std::getline(fields, bug.shows, '\t');
    bugs.push_back(std::move(bug));
  }
  dlclose(library);
  return bugs;
}

std::string line_of(const PlantedBug& bug) {
  return fmt::format("{}\t{}\t{}\t{}\n", bug.name, bug.family, bug.shows, bug.sentence);
}

}  // namespace concord::conformance
