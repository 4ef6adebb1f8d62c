// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "conformance/catalog/arrays.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

std::vector<FormCase> cases_of_rows(std::string_view strength) {
  std::vector<FormCase> cases;
  for (const FormModel& form : form_models()) {
    const std::string family = fmt::format("{}_{}", form.name, strength);
    std::size_t number = 0;
    for (const Row& row : array_rows(family)) {
      cases.push_back({family, fmt::format("{:04}", ++number), form.problem_of(row),
                       describe(form.factors, row), &form});
    }
  }
  return cases;
}

}  // namespace

const std::vector<FormCase>& form_pairs() {
  static const auto kCases = cases_of_rows("pairs");
  return kCases;
}

const std::vector<FormCase>& form_triples() {
  static const auto kCases = cases_of_rows("triples");
  return kCases;
}

}  // namespace concord::conformance
