// SPDX-License-Identifier: Apache-2.0
// grade --choose: which few cases find every planted bug.
#ifndef CONCORD_CONFORMANCE_COMMAND_GRADE_CHOICE_H_
#define CONCORD_CONFORMANCE_COMMAND_GRADE_CHOICE_H_

#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/command/planted_bugs.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

/// The approximate cost of a case: elements of dst times products per element; 0 where the problem
/// is refused.
double products_of(const Case& source);

/// Cases with more products are not chosen: a worker's process costs as much as these.
inline constexpr double kMostProductsOfChosen = 200'000;
/// How many finds of a bug are sought, the cheapest first; and how many of them are chosen.
inline constexpr int kFindsOfBug = 8, kFindsChosen = 2;

/// Chooses by choose_greedily() cases so that each bug that does not show by chance is found by
/// kFindsChosen of them.
///
///   "# how it was made", then a line a chosen case, in their order: "ID: bug bug .."
///
/// Shapes  `bugs` are those of outcome.backends; results as run_cases() gives them for `cases`
std::string text_of_choice(const CaseList& cases, const std::vector<PlantedBug>& bugs,
                           const RunOutcome& outcome);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_GRADE_CHOICE_H_
