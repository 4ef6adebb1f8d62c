// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/collector.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/case/seed.h"
#include "conformance/catalog/extents.h"
#include "conformance/fill/fill.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kSparseEvery = 4;
constexpr Fill kExtremes[] = {Fill::kSpecial, Fill::kOverflow, Fill::kSubnormal};

// Windows of several elements that move by one: what Winograd's algorithm is made for, whose
// classes no other fill judges so closely.
bool suits_bilinear(const Problem& problem) {
  const auto resolved = reference::resolve(problem);
  const auto* g = resolved ? std::get_if<reference::Geometry>(&resolved->form) : nullptr;
  if (g == nullptr || g->K[reference::kHeight] * g->K[reference::kWidth] < 9) return false;
  const auto is_one = [](Extent extent) { return extent == 1; };
  return std::all_of(g->S.begin(), g->S.end(), is_one) &&
         std::all_of(g->D.begin(), g->D.end(), is_one);
}

}  // namespace

Collector::Collector(Suite suite, std::uint64_t seed) : seed_(seed) {
  if (suite == Suite::kSmoke) chosen_ = chosen_cases();
}

void Collector::add(const Source& source, Fill fill) {
  Case added;
  added.id = source.family + "/" + source.name + "/" +
             std::string(to_string(source.problem.dtype)) + "/" + std::string(to_string(fill));
  if (!is_systematic_ && chosen_ && !chosen_->contains(added.id)) return;
  added.problem = source.problem;
  added.fill = fill;
  added.seed = case_seed(seed_, added.id);
  added.origin = source.origin;
  added.note = source.note;
  cases_.push_back(std::move(added));
}

void Collector::add_usual_fills(const Source& source, std::size_t turn) {
  add_finite_fills(source, turn);
  const Fill extreme = kExtremes[turn % std::size(kExtremes)];
  const bool has_products = element_count(source.problem.weights.dims) != 0;
  add(source, extreme == Fill::kOverflow && !has_products ? Fill::kSpecial : extreme);
}

void Collector::add_all_usual_fills(const Source& source, std::size_t turn) {
  add_finite_fills(source, turn);
  const bool has_products = element_count(source.problem.weights.dims) != 0;
  for (const Fill extreme : kExtremes) {
    const bool has_it = extreme != Fill::kOverflow || has_products;
    if (has_it && !why_no_fill(extreme, source.problem)) add(source, extreme);
  }
}

void Collector::add_finite_fills(const Source& source, std::size_t turn) {
  add(source, Fill::kIntegers);
  add(source, Fill::kUniform);
  // A single weight makes every output of an impulse the same.
  const bool has_one_weight = element_count(source.problem.weights.dims) == 1;
  add(source, turn % 2 == 0 && !has_one_weight ? Fill::kImpulse : Fill::kRamp);
  if (turn % kSparseEvery == 0 || suits_bilinear(source.problem)) add(source, Fill::kSparse);
}

}  // namespace concord::conformance
