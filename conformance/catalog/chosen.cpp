// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/chosen.h"

#include <algorithm>
#include <sstream>

#include "conformance/catalog/text_file.h"
#include "spec/check.h"

namespace concord::conformance {

Chosen chosen_cases() {
  const auto files = text_files();
  const auto file = std::find_if(files.begin(), files.end(),
                                 [](const TextFile& f) { return f.name == "chosen"; });
  CONCORD_CHECK(file != files.end()) << "no text file chosen";
  Chosen cases;
  std::istringstream lines{std::string(file->text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string id;
    words >> id;
    CONCORD_CHECK(id.ends_with(':')) << "chosen.txt: " << line;
    id.pop_back();
    auto& bugs = cases[id];
    for (std::string bug; words >> bug;) bugs.push_back(bug);
  }
  return cases;
}

}  // namespace concord::conformance
