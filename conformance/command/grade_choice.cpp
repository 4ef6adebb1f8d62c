// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/grade_choice.h"

#include "conformance/catalog/greedy_choice.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// What any case costs beside its products, in products: a few messages between two processes.
constexpr double kProductsOfACase = 20'000;

constexpr const char* kHead =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Cases of full that are always in smoke: together they find every planted bug "
    "twice,\n"
    "# or as often as any case finds it. A greedy cover, cheap cases first. Made by\n"
    "#   concord grade --suite full --choose conformance/catalog/chosen.txt\n"
    "# Each line: a case, and the bugs that it finds and few cheaper cases find.\n";

std::vector<Candidate> candidates_of(const CaseList& cases, const std::vector<PlantedBug>& bugs,
                                     const RunOutcome& outcome) {
  std::vector<Candidate> candidates(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    candidates[i].cost = kProductsOfACase + products_of(cases[i]);
    for (std::size_t bug = 0; bug < outcome.backends.size(); ++bug) {
      if (bugs[bug].shows == "by chance") continue;
      const auto& result = outcome.backends[bug].results[i];
      if (result && is_failure(result->verdict)) candidates[i].finds.push_back(bug);
    }
  }
  return candidates;
}

}  // namespace

double products_of(const Case& source) {
  const auto geometry = reference::resolve(source.problem);
  if (!geometry) return 0;
  return static_cast<double>(element_count(geometry->dst.dims).value()) *
         static_cast<double>(geometry->products);
}

std::string text_of_choice(const CaseList& cases, const std::vector<PlantedBug>& bugs,
                           const RunOutcome& outcome) {
  const auto candidates = candidates_of(cases, bugs, outcome);
  std::string text = kHead;
  for (const std::size_t place : choose_greedily(candidates, kFindsChosen)) {
    text += cases[place].id + ":";
    for (const std::size_t bug : candidates[place].finds) text += " " + bugs[bug].name;
    text += "\n";
  }
  return text;
}

}  // namespace concord::conformance
