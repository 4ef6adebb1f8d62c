// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "conformance/catalog/families.h"
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

}  // namespace

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
