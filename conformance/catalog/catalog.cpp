// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/catalog.h"

#include "conformance/catalog/exhaustive.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/listed.h"
#include "conformance/catalog/sweeps.h"

namespace concord::conformance {

void add_invalid(Collector& collector) {
  for (const Listed& line : listed("invalid")) {
    const std::string fault = line.name.substr(0, line.name.find('-'));
    collector.add(
        {"invalid", line.name, line.problem, "invalid.txt", "refused with the fault " + fault},
        Fill::kIntegers);
  }
}

// Exact data alone: of dense tensors judge_data() would have no oracle.
void add_huge(Collector& collector) {
  for (const Listed& line : listed("huge")) {
    collector.add({"huge", line.name, line.problem, "huge.txt", ""}, Fill::kIntegers);
  }
}

std::string_view to_string(Suite suite) {
  constexpr std::string_view kNames[] = {"smoke", "full", "huge"};
  return kNames[static_cast<std::size_t>(suite)];
}

std::optional<Suite> parse_suite(std::string_view text) {
  for (const Suite suite : kSuites) {
    if (text == to_string(suite)) return suite;
  }
  return std::nullopt;
}

CaseList make_catalog(Suite suite, std::uint64_t seed) {
  Collector collector(suite, seed);
  if (suite == Suite::kHuge) {
    add_huge(collector);
    return collector.take();
  }
  add_layers(collector);
  add_boundary(collector);
  add_plain(collector);
  add_forms(collector);
  add_filled_forms(collector);
  add_large(collector, Suite::kSmoke);
  add_form_pairs(collector);
  add_f64(collector, Suite::kSmoke);
  add_f64_pairs(collector, Suite::kSmoke);
  add_far(collector, Suite::kSmoke);
  add_orders(collector, Suite::kSmoke);
  add_common_kernels(collector, Suite::kSmoke);
  add_short_images(collector, Suite::kSmoke);
  add_batches(collector, Suite::kSmoke);
  add_phases(collector, Suite::kSmoke);
  add_empty(collector, Suite::kSmoke);
  add_form_counts(collector, Suite::kSmoke);
  add_invalid(collector);
  add_refused(collector);
  collector.end_systematic_part();
  add_more_layers(collector);
  add_more_boundary(collector);
  add_more_forms(collector);
  add_large(collector, Suite::kFull);
  add_common_kernels(collector, Suite::kFull);
  add_short_images(collector, Suite::kFull);
  add_batches(collector, Suite::kFull);
  add_phases(collector, Suite::kFull);
  add_empty(collector, Suite::kFull);
  add_more_form_rows(collector);
  add_f64(collector, Suite::kFull);
  add_f64_pairs(collector, Suite::kFull);
  add_f64_layers(collector);
  add_far(collector, Suite::kFull);
  add_orders(collector, Suite::kFull);
  add_form_counts(collector, Suite::kFull);
  CaseList cases = collector.take();
  if (suite == Suite::kFull) {
    cases.append(window_sweep(seed));
    cases.append(fast_window_sweep(seed));
    cases.append(refused_window_sweep(seed));
    cases.append(count_sweep(seed));
    cases.append(kernel_sweep(seed));
    cases.append(window_pair_sweep(seed));
  }
  return cases;
}

}  // namespace concord::conformance
