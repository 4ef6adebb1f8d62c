// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/listed.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

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

// The problem's text, and what stands behind " expect=" at the end of the line.
std::pair<std::string_view, std::optional<std::string_view>> split_expectation(
    std::string_view text) {
  constexpr std::string_view kKey = " expect=";
  const std::size_t end = text.find_last_not_of(" \t\r");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const std::size_t at = text.rfind(kKey);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + kKey.size())};
}

bool is_expectation(std::string_view word) {
  if (word == "invalid") return true;
  for (auto fault = Fault::kDtype; fault <= Fault::kDst;
       fault = static_cast<Fault>(static_cast<int>(fault) + 1)) {
    if (word == to_string(fault)) return true;
  }
  return false;
}

}  // namespace

const TextFile& text_file(std::string_view name) {
  const auto files = text_files();
  const auto file =
      std::find_if(files.begin(), files.end(), [&](const TextFile& f) { return f.name == name; });
  CONCORD_CHECK(file != files.end()) << "no text file " << name;
  return *file;
}

Result<std::vector<Listed>> read_listed(const TextFile& file) {
  std::vector<Listed> problems;
  std::set<std::string_view> names;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(file.text)) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto refuse = [&](const std::string& why) {
      return Refusal{Fault::kSyntax,
                     std::string(file.name) + ":" + std::to_string(number) + ": " + why};
    };
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return refuse("not of the form 'name: problem line'");
    const std::string_view name = line.substr(0, colon);
    if (!is_name(name)) return refuse("not a name: '" + std::string(name) + "'");
    if (!names.insert(name).second) return refuse("named twice: '" + std::string(name) + "'");
    const auto [text, expected] = split_expectation(line.substr(colon + 2));
    if (expected && !is_expectation(*expected)) {
      return refuse("expect=" + std::string(*expected) + ": neither a fault nor invalid");
    }
    auto problem = parse(text);
    if (!problem) return refuse(problem.why().detail);
    problems.push_back(
        {std::string(name), *std::move(problem), number, std::string(expected.value_or(""))});
  }
  return problems;
}

std::vector<Listed> listed(std::string_view name) { return read_listed(text_file(name)).value(); }

std::vector<Network> networks() {
  std::vector<Network> result;
  for (const TextFile& file : text_files()) {
    if (!file.name.starts_with(kLayers)) continue;
    result.push_back({std::string(file.name.substr(kLayers.size())), read_listed(file).value()});
  }
  return result;
}

}  // namespace concord::conformance
