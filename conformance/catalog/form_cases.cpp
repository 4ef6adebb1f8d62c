// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "conformance/catalog/counts/form_counts.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/form_model.h"
#include "conformance/catalog/listed.h"
#include "conformance/fill/fill.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// Gradients through the net and chains are exact for no data:
// docs/numerics.md#composed-operations.
bool has_exact_data(const Problem& problem) {
  const Operation operation = problem.operation();
  return operation != Operation::kContinuousBackwardWeights &&
         operation != Operation::kContinuousBackwardGrid &&
         operation != Operation::kContinuousChain;
}

bool sums_inputs_by_weights(Operation operation) {
  return has_weights(operation) && !is_continuous(operation);
}

// Of a handful of weights, the few that `sparse` keeps may meet no input.
bool suits_sparse(const Problem& problem) {
  return sums_inputs_by_weights(problem.operation()) &&
         element_count(problem.weights.dims).value_or(0) >= 32;
}

std::vector<Source> sources_of_forms() {
  std::vector<Source> sources;
  for (const char* family : {"blocks", "cntk", "continuous", "cntk_gradients", "twins"}) {
    for (const Listed& line : listed(family)) {
      sources.push_back({family, line.name, line.problem, std::string(family) + ".txt", ""});
    }
  }
  return sources;
}

Source source_of(const FormCase& row) {
  return {row.family, row.name, row.problem, row.origin, ""};
}

// Fills whose sums are exact, where data can be.
bool is_of_small_numbers(Fill fill) {
  return fill == Fill::kIntegers || fill == Fill::kImpulse || fill == Fill::kRamp ||
         fill == Fill::kSparse;
}

// Integers judge each output by all its products.
Fill telling_fill(const Problem& problem) {
  return has_exact_data(problem) ? Fill::kIntegers : Fill::kUniform;
}

}  // namespace

void add_forms(Collector& collector) {
  std::size_t turn = 0;
  for (const Source& source : sources_of_forms()) {
    collector.add(source, Fill::kUniform);
    if (!has_exact_data(source.problem)) continue;
    collector.add(source, Fill::kIntegers);
    collector.add(source, turn++ % 2 == 0 ? Fill::kImpulse : Fill::kRamp);
    if (sums_inputs_by_weights(source.problem.operation())) collector.add(source, Fill::kSparse);
  }
}

// A backend that is right about a dtype's normal numbers may be wrong about its others, or about
// one fill of one dtype alone.
void add_filled_forms(Collector& collector) {
  for (const Listed& line : listed("refused")) {
    if (is_discrete(line.problem.operation())) continue;
    const bool judges_f64 = reference::resolve(line.problem).value().judges_f64();
    for (const Dtype dtype : kDtypes) {
      if (dtype == Dtype::kF64 && !judges_f64) continue;
      Source source{"filled", line.name, line.problem, "refused.txt", ""};
      source.problem.dtype = dtype;
      for (const Fill fill : kFills) {
        const bool suits = has_exact_data(source.problem) || !is_of_small_numbers(fill);
        if (suits && !why_no_fill(fill, source.problem)) collector.add(source, fill);
      }
    }
  }
}

void add_large(Collector& collector, Suite suite) {
  for (const Listed& line : listed("large")) {
    const Fill telling = telling_fill(line.problem);
    const Fill other = has_weights(line.problem.operation()) ? Fill::kUniform : Fill::kSpecial;
    if (suite == Suite::kFull && other == telling) continue;
    collector.add({"large", line.name, line.problem, "large.txt", ""},
                  suite == Suite::kSmoke ? telling : other);
  }
}

void add_form_pairs(Collector& collector) {
  for (const FormCase& row : form_pairs()) collector.add(source_of(row), telling_fill(row.problem));
  for (const FormCase& row : form_triples()) {
    if (row.model->has_triples_in_smoke) collector.add(source_of(row), telling_fill(row.problem));
  }
}

void add_more_form_rows(Collector& collector) {
  constexpr Fill kMore[] = {Fill::kUniform, Fill::kImpulse, Fill::kSpecial,
                            Fill::kRamp,    Fill::kSparse,  Fill::kSubnormal};
  std::size_t turn = 0;
  const auto add_another = [&](const FormCase& row) {
    const Fill fill = kMore[turn++ % std::size(kMore)];
    const bool has_it = has_exact_data(row.problem) && !why_no_fill(fill, row.problem) &&
                        (fill != Fill::kSparse || suits_sparse(row.problem));
    if (has_it) collector.add(source_of(row), fill);
  };
  for (const bool are_late : {false, true}) {
    for (const FormCase& row : form_pairs()) {
      if (row.model->is_late == are_late) add_another(row);
    }
    for (const FormCase& row : form_triples()) {
      if (row.model->is_late != are_late) continue;
      const bool in_smoke = row.model->has_triples_in_smoke;
      if (!in_smoke) collector.add(source_of(row), telling_fill(row.problem));
      if (!are_late || in_smoke) add_another(row);
    }
  }
}

void add_more_forms(Collector& collector) {
  std::size_t turn = 0;
  for (const Source& source : sources_of_forms()) {
    if (has_special_fill(source.problem)) collector.add(source, Fill::kSpecial);
    if (!has_exact_data(source.problem)) continue;
    collector.add(source, turn++ % 2 == 0 ? Fill::kRamp : Fill::kImpulse);
    // Where elements are only moved, any other data show as much.
    const bool computes = has_weights(source.problem.operation());
    if (computes && !why_no_fill(Fill::kSubnormal, source.problem)) {
      collector.add(source, Fill::kSubnormal);
    }
  }
}

void add_form_counts(Collector& collector, Suite suite) {
  for (const FormCount& each : form_counts()) {
    if (each.is_common != (suite == Suite::kSmoke)) continue;
    collector.add(each.source, telling_fill(each.source.problem));
  }
}

}  // namespace concord::conformance
