// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "conformance/catalog/arrays.h"
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/form_model.h"
#include "conformance/catalog/listed.h"
#include "conformance/fill/fill.h"

namespace concord::conformance {
namespace {

std::vector<Source> sources_of_f64() {
  std::vector<Source> sources;
  for (const Listed& line : listed("f64")) {
    sources.push_back({"f64", line.name, line.problem, "f64.txt", ""});
  }
  return sources;
}

// Of the fills those that smoke has of a problem, by turns; full has all others.
bool is_of_smoke(Fill fill, const Problem& problem, std::size_t turn) {
  constexpr Fill kByTurns[] = {Fill::kImpulse, Fill::kIntegers, Fill::kSubnormal,
                               Fill::kSpecial, Fill::kRamp,     Fill::kWide};
  if (!has_weights(problem.operation())) return fill == Fill::kIntegers || fill == Fill::kSpecial;
  return fill == Fill::kUniform || fill == Fill::kSparse ||
         fill == kByTurns[turn % std::size(kByTurns)];
}

// "dtype=f16 axes=2" -> "dtype=f64 axes=2".
std::string origin_in_f64(std::string origin, Dtype before) {
  const std::string word = fmt::format("dtype={}", to_string(before));
  return origin.replace(origin.find(word), word.size(), "dtype=f64");
}

void in_f64(Source& source) {
  source.origin = origin_in_f64(source.origin, source.problem.dtype);
  source.problem.dtype = Dtype::kF64;
}

bool has_f64(const FormModel& form) {
  return std::any_of(form.factors.begin(), form.factors.end(), [](const Factor& factor) {
    const auto& levels = factor.levels;
    return factor.name == "dtype" && std::find(levels.begin(), levels.end(), "f64") != levels.end();
  });
}

// Rows that hold every pair of the levels of all factors but the dtype hold it in f64, too.
std::vector<Source> pairs_in_f64() {
  std::vector<Source> sources;
  for (const Row& row : array_rows("pairs")) {
    const std::string number = fmt::format("{:03}", sources.size() + 1);
    in_f64(sources.emplace_back(Source{"pairs", number, problem_of(row), describe(row), ""}));
  }
  for (const FormCase& row : form_pairs()) {
    if (is_continuous(row.problem.operation()) || has_f64(*row.model)) continue;
    in_f64(sources.emplace_back(Source{row.family, row.name, row.problem, row.origin, ""}));
  }
  return sources;
}

}  // namespace

void add_f64_pairs(Collector& collector, Suite suite) {
  for (const Source& source : pairs_in_f64()) {
    const bool moves = !has_weights(source.problem.operation());
    if (suite == Suite::kSmoke) collector.add(source, Fill::kIntegers);
    if (suite == Suite::kFull && !moves) collector.add(source, Fill::kUniform);
  }
}

void add_f64(Collector& collector, Suite suite) {
  std::size_t turn = 0;
  for (const Source& source : sources_of_f64()) {
    for (const Fill fill : kFills) {
      const bool in_smoke = is_of_smoke(fill, source.problem, turn);
      if (why_no_fill(fill, source.problem) || in_smoke != (suite == Suite::kSmoke)) continue;
      collector.add(source, fill);
    }
    ++turn;
  }
}

}  // namespace concord::conformance
