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

// Nothing where no case stands for such combinations.
std::optional<Covering> describe_covering(const CaseList& cases) {
  const Coverage covered = coverage_of(cases);
  if (covered.pairs == 0) return std::nullopt;
  return covering_of(covered);
}

// What the cases cover that passed or failed.
Covering describe_judged(const CaseList& cases, const BackendRun& backend) {
  std::vector<std::size_t> judged;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (result && (result->verdict == Verdict::kPass || is_failure(result->verdict))) {
      judged.push_back(i);
    }
  }
  return covering_of(coverage_of(cases.at(judged)));
}

}  // namespace

void describe_coverings(const CaseList& suite, const CaseList& cases, const RunOutcome& outcome,
                        RunDescription& description) {
  std::vector<std::future<Covering>> judged;  // each makes all cases anew
  for (const BackendRun& backend : outcome.backends) {
    judged.push_back(std::async([&] { return describe_judged(cases, backend); }));
  }
  description.covering = describe_covering(suite);
  for (std::size_t b = 0; b < judged.size(); ++b) {
    const bool has_covering = description.covering && outcome.backends[b].error.empty();
    description.judged_covering.push_back(has_covering ? std::optional(judged[b].get())
                                                       : std::nullopt);
  }
}

}  // namespace concord::conformance
