// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "conformance/catalog/arrays.h"
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/coverage.h"
#include "conformance/catalog/form_model.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// Chosen once; another one gives other rows.
constexpr std::uint64_t kSeed = 1;
// The letter of level 0. There are 57 up to 'z'.
constexpr char kFirst = 'B';
constexpr int kLetters = 'z' - kFirst + 1;

void find(const std::string& before, const FactorModel& model, std::vector<CoveringArray>& arrays) {
  auto pairs = covering_rows(model, kSeed);
  auto triples = rows_for_missing_triples(model, pairs, kSeed);
  arrays.push_back({before + "pairs", std::move(pairs)});
  arrays.push_back({before + "triples", std::move(triples)});
}

}  // namespace

std::vector<CoveringArray> find_arrays() {
  std::vector<CoveringArray> arrays;
  find("", attribute_model(), arrays);
  arrays.push_back({"plain", rows_for_missing_triples(plain_model(), {}, kSeed)});
  for (const FormModel& form : form_models()) {
    find(std::string(form.name) + "_", form.model, arrays);
  }
  return arrays;
}

std::string print_arrays(const std::vector<CoveringArray>& arrays) {
  std::string text;
  for (const CoveringArray& array : arrays) {
    text += array.name + ":\n";
    for (const Row& row : array.rows) {
      for (const int level : row) {
        CONCORD_CHECK(level >= 0 && level < kLetters) << level << " in " << array.name;
        text += static_cast<char>(kFirst + level);
      }
      text += '\n';
    }
  }
  return text;
}

std::vector<CoveringArray> parse_arrays(std::string_view text) {
  std::vector<CoveringArray> arrays;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with(':')) {
      arrays.push_back({std::string(line.substr(0, line.size() - 1)), {}});
      continue;
    }
    Row& row = arrays.back().rows.emplace_back();
    for (const char letter : line) row.push_back(letter - kFirst);
  }
  return arrays;
}

}  // namespace concord::conformance
