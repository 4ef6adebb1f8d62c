// SPDX-License-Identifier: Apache-2.0
// How many combinations of attribute levels the cases of a run cover.
#ifndef CONCORD_CONFORMANCE_CATALOG_SUITE_COVERAGE_H_
#define CONCORD_CONFORMANCE_CATALOG_SUITE_COVERAGE_H_

#include <cstddef>
#include <vector>

#include "conformance/case/case_list.h"

namespace concord::conformance {

/// Pairs and triples of levels of different attributes.
struct Coverage {
  std::size_t pairs = 0, triples = 0;
};

/// How many occur in some allowed row of attribute_model(): as many as its covering arrays hold. A
/// test recounts them.
Coverage possible_coverage();

/// What the cases among `cases` cover that stand for rows of attribute_model().
Coverage coverage_of(const CaseList& cases);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_SUITE_COVERAGE_H_
