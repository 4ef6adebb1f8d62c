// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/nightly.h"

#include <fmt/format.h>

#include <utility>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/seed.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kFillsOfARow = 3;

}  // namespace

// Each row with three fills, which ones by turns and from batch to batch.
std::vector<Case> Nightly::drawn() const {
  const std::string family = fmt::format("drawn{}", batch_ - 2);
  const auto rows = covering_rows(attribute_model(), case_seed(seed_, family));
  std::vector<Case> cases;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t turn = 0; turn < kFillsOfARow; ++turn) {
      Case made;
      made.problem = problem_of(rows[i]);
      made.fill = kFills[(i + batch_ + turn * kFillsOfARow) % std::size(kFills)];
      made.id = fmt::format("{}/{:03}/{}/{}", family, i + 1, to_string(made.problem.dtype),
                            to_string(made.fill));
      made.seed = case_seed(seed_, made.id);
      made.origin = describe(rows[i]);
      cases.push_back(std::move(made));
    }
  }
  return cases;
}

std::vector<Case> Nightly::next() {
  const std::uint64_t number = batch_++;
  auto candidates = number == 0   ? make_catalog(Suite::kSmoke, seed_)
                    : number == 1 ? make_catalog(Suite::kFull, seed_)
                                  : drawn();
  std::vector<Case> cases;
  for (Case& candidate : candidates) {
    const bool is_new_id = seen_.insert(candidate.id).second;
    const bool is_new_problem =
        seen_.insert(fmt::format("{} {}", to_string(candidate.fill), print(candidate.problem)))
            .second;
    // A listed case that is like another one has its own data; a drawn one need not come.
    if (is_new_id && (number < 2 || is_new_problem)) cases.push_back(std::move(candidate));
  }
  return cases;
}

}  // namespace concord::conformance
