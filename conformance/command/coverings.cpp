// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/coverings.h"

#include <future>
#include <vector>

#include "conformance/catalog/suite_coverage.h"

namespace concord::conformance {
namespace {

Covering covering_of(const Coverage& covered) {
  const Coverage possible = possible_coverage();
  return {covered.pairs, possible.pairs, covered.triples, possible.triples};
}

// What the cases cover that passed or failed.
Coverage judged_coverage(const CaseList& cases, const BackendRun& backend) {
  std::vector<std::size_t> judged;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (result && (result->verdict == Verdict::kPass || is_failure(result->verdict))) {
      judged.push_back(i);
    }
  }
  return coverage_of(cases.at(judged));
}

}  // namespace

void describe_coverings(const CaseList& suite, const CaseList& cases, const RunOutcome& outcome,
                        RunDescription& description) {
  std::vector<std::future<Coverage>> judged;  // each makes all cases anew
  for (const BackendRun& backend : outcome.backends) {
    judged.push_back(std::async([&] { return judged_coverage(cases, backend); }));
  }
  const Coverage covered = coverage_of(suite);
  const bool stands_for_any = covered.pairs > 0;  // not where no case is of a covering array
  if (stands_for_any) description.covering = covering_of(covered);
  for (std::size_t b = 0; b < judged.size(); ++b) {
    const bool has_covering = stands_for_any && outcome.backends[b].error.empty();
    description.judged_covering.push_back(has_covering ? std::optional(covering_of(judged[b].get()))
                                                       : std::nullopt);
  }
}

}  // namespace concord::conformance
