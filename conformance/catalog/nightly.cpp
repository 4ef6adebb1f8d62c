// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/nightly.h"

#include <fmt/format.h>

#include <utility>

#include "conformance/case/seed.h"
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/form_model.h"
#include "conformance/catalog/sweeps.h"
#include "conformance/fill/fill.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kFillsOfARow = 3;

}  // namespace

// Each row with three fills, which ones by turns and from batch to batch; of the forms' rows those
// that there are.
std::vector<Case> Nightly::drawn() const {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const Problem& problem, const std::string& origin,
                       std::size_t first) {
    for (std::size_t turn = 0; turn < kFillsOfARow; ++turn) {
      const Fill fill = kFills[(first + batch_ + turn * kFillsOfARow) % std::size(kFills)];
      if (why_no_fill(fill, problem)) continue;
      Case made;
      made.problem = problem;
      made.fill = fill;
      made.id = fmt::format("{}/{}/{}", name, to_string(problem.dtype), to_string(fill));
      made.seed = case_seed(seed_, made.id);
      made.origin = origin;
      cases.push_back(std::move(made));
    }
  };
  const std::string family = fmt::format("drawn{}", batch_ - 2);
  const auto rows = covering_rows(attribute_model(), case_seed(seed_, family));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(fmt::format("{}/{:03}", family, i + 1), problem_of(rows[i]), describe(rows[i]), i);
  }
  for (const FormModel& form : form_models()) {
    const std::string name = fmt::format("{}_{}", form.name, family);
    const auto more = covering_rows(form.model, case_seed(seed_, name));
    for (std::size_t i = 0; i < more.size(); ++i) {
      add(fmt::format("{}/{:03}", name, i + 1), form.problem_of(more[i]),
          describe(form.factors, more[i]), i);
    }
  }
  return cases;
}

CaseList Nightly::next() {
  const std::uint64_t number = batch_++;
  const CaseList candidates = number == 0   ? make_catalog(Suite::kSmoke, seed_)
                              : number == 1 ? make_catalog(Suite::kFull, seed_)
                                            : CaseList(drawn());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Case candidate = candidates[i];
    if (is_swept(candidate.id)) {  // of full alone, and unlike what is drawn
      places.push_back(i);
      continue;
    }
    const bool is_new_id = seen_.insert(candidate.id).second;
    const bool is_new_problem =
        seen_.insert(fmt::format("{} {}", to_string(candidate.fill), print(candidate.problem)))
            .second;
    // A listed case that is like another one has its own data; a drawn one need not come.
    if (is_new_id && (number < 2 || is_new_problem)) places.push_back(i);
  }
  return candidates.at(places);
}

}  // namespace concord::conformance
