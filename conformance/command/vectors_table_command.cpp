// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "conformance/catalog/golden.h"
#include "conformance/command/command.h"
#include "conformance/judge/golden_check.h"

namespace concord::conformance {
namespace {

struct Row {
  int vectors = 0;
  int correctly_rounded = 0;
  int wrong = 0;
  double margin = 0;  ///< the worst of all elements, in units of what the producer's class allows
};

// By set, operation and dtype.
std::map<std::tuple<std::string, Operation, Dtype>, Row> rows_of(const std::vector<Case>& cases) {
  std::map<std::tuple<std::string, Operation, Dtype>, Row> rows;
  for (const Case& each : cases) {
    const std::string set = each.id.substr(0, each.id.find('/', each.id.find('/') + 1));
    const RecordedCheck check = check_recorded(each);
    Row& row = rows[{set.substr(set.find('/') + 1), each.problem.operation(), each.problem.dtype}];
    ++row.vectors;
    row.correctly_rounded += check.is_correctly_rounded ? 1 : 0;
    row.wrong += check.finding.passed() ? 0 : 1;
    row.margin = std::max(row.margin, check.finding.margin);
  }
  return rows;
}

// 0 if the reference agrees with every vector, 1 if not.
int print_table(const std::string& root) {
  const auto cases = golden_cases(root);
  if (!cases) throw UsageError(cases.why().detail);
  fmt::print("| set | operation | dtype | vectors | correctly rounded | wrong | worst margin |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  Row total;
  for (const auto& [key, row] : rows_of(*cases)) {
    const auto& [set, operation, dtype] = key;
    fmt::print("| `{}` | {} | {} | {} | {} | {} | {:.3g} |\n", set, to_string(operation),
               to_string(dtype), row.vectors, row.correctly_rounded, row.wrong, row.margin);
    total.vectors += row.vectors;
    total.correctly_rounded += row.correctly_rounded;
    total.wrong += row.wrong;
    total.margin = std::max(total.margin, row.margin);
  }
  fmt::print("| all | | | {} | {} | {} | {:.3g} |\n", total.vectors, total.correctly_rounded,
             total.wrong, total.margin);
  return total.wrong == 0 ? 0 : 1;
}

}  // namespace

void add_vectors_table_command(CLI::App& vectors, const std::shared_ptr<std::string>& root,
                               Surroundings& surroundings) {
  auto* sub = vectors.add_subcommand("table", "Compare every vector with the reference");
  sub->footer(
      "One row per set, operation and dtype, in Markdown: the number of vectors, of those in which "
      "every\n"
      "element is the reference's value rounded once, of wrong ones, and the largest error "
      "of\n"
      "the others in units of what the producer's class of arithmetic allows (1: the bound).\n"
      "Exit codes: 0 none is wrong, 1 one is.");
  sub->callback([root, &surroundings] { surroundings.exit_code = print_table(*root); });
}

}  // namespace concord::conformance
