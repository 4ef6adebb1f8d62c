// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/listed.h"

#include <algorithm>
#include <set>

#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr std::string_view kLayers = "layers/";

bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<std::vector<Listed>> read_listed(const TextFile& file) {
  std::vector<Listed> problems;
  std::set<std::string_view> names;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto refuse = [&](const std::string& why) {
      return Refusal{Fault::kSyntax,
                     std::string(file.name) + ".txt:" + std::to_string(number) + ": " + why};
    };
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return refuse("not of the form 'name: problem line'");
    const std::string_view name = line.substr(0, colon);
    if (!is_name(name)) return refuse("not a name: '" + std::string(name) + "'");
    if (!names.insert(name).second) return refuse("named twice: '" + std::string(name) + "'");
    auto problem = parse(line.substr(colon + 2));
    if (!problem) return refuse(problem.why().detail);
    problems.push_back({std::string(name), *std::move(problem)});
  }
  return problems;
}

std::vector<Listed> listed(std::string_view name) {
  const auto files = text_files();
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const TextFile& f) { return f.name == name; });
  CONCORD_CHECK(file != files.end()) << "no text file " << name;
  return read_listed(*file).value();
}

std::vector<Network> networks() {
  std::vector<Network> result;
  for (const TextFile& file : text_files()) {
    if (!file.name.starts_with(kLayers)) continue;
    result.push_back({std::string(file.name.substr(kLayers.size())), read_listed(file).value()});
  }
  return result;
}

}  // namespace concord::conformance
