// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/counts/form_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conformance/case/seed.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

// Of smoke, which has one problem of each: those beside vectors of 4, 8, 16 and 32, and what two
// of 8 and one of 16 leave over.
bool is_common(Extent value) {
  constexpr Extent kMore[] = {10, 12, 15, 17, 33};
  return (value >= 4 && value <= 9) || std::ranges::find(kMore, value) != std::end(kMore);
}

}  // namespace

std::vector<Extent> numbers_to(Extent most, std::initializer_list<Extent> more) {
  std::vector<Extent> values(static_cast<std::size_t>(most));
  std::iota(values.begin(), values.end(), 1);
  values.insert(values.end(), more);
  return values;
}

void FormCounter::add(std::string_view family, std::string_view counted, Extent value,
                      const std::string& variant, Problem problem, std::string_view part) {
  // One after the other, and not the same for every value's first problem.
  problem.dtype = kCommonDtypes[(turn_ + turn_ / 7) % std::size(kCommonDtypes)];
  ++turn_;
  form::set_memory(form::kDense, problem);
  const std::string group = fmt::format("{}-{}", counted, value);
  counts_.push_back({{std::string(family), variant.empty() ? group : group + "-" + variant,
                      std::move(problem), "every count", ""}});
  if (is_common(value)) {
    common_[fmt::format("{}/{}/{}", family, group, part)].push_back(counts_.size() - 1);
  }
}

// Of the problems of one value and part, one by turns is common.
std::vector<FormCount> FormCounter::take() && {
  for (const auto& [group, places] : common_) {
    counts_[places[Random(fnv1a(group)).below(places.size())]].is_common = true;
  }
  return std::move(counts_);
}

std::vector<FormCount> form_counts() {
  FormCounter counter;
  add_cntk_counts(counter);
  add_continuous_counts(counter);
  add_block_counts(counter);
  add_atrous_counts(counter);
  add_continuous_chain_counts(counter);
  return std::move(counter).take();
}

}  // namespace concord::conformance
