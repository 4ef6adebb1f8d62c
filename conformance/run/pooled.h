// SPDX-License-Identifier: Apache-2.0
// The statistical tier over a whole run: errors too small to show in one tensor add up over many.
// Source: docs/numerics.md#statistical-tier
#ifndef CONCORD_CONFORMANCE_RUN_POOLED_H_
#define CONCORD_CONFORMANCE_RUN_POOLED_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/record/case_result.h"
#include "conformance/record/sparse.h"
#include "spec/dtype.h"

namespace concord::conformance {

/// The tensors of one dtype, arithmetic class and range of reduction lengths.
struct Pool {
  Dtype dtype{};
  std::string arithmetic{};
  Extent least_products = 0, most_products = 0;  ///< the shortest and the longest one met
  bool all_lengths = false;                      ///< of the dtype and class together
  std::size_t tensors = 0;
  ErrorSums sums{};
  StatisticalFinding finding{};
};

/// Pools the errors of all cases that passed: for each dtype and class all lengths together, then
/// by length: 1, 2, 3 to 4, 5 to 8, and so on by powers of two.
std::vector<Pool> pool_errors(const CaseList& cases, const Sparse<CaseResult>& results);

/// "f32, strict, 5 to 8 products, 31 tensors".
std::string describe(const Pool& pool);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_POOLED_H_
