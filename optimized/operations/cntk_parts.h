// SPDX-License-Identifier: Apache-2.0
// CNTK's Convolution with shared weights as fast convolutions.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CNTK_PARTS_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CNTK_PARTS_H_

#include "optimized/operations/cntk.h"

namespace concord::optimized {

/// How many parts there would be: one for each place of a walked axis and each map of every axis
/// but one. Nothing where windows slide along more axes than a fast convolution has. `shape` is not
/// empty.
std::optional<Extent> cntk_parts_of(const CntkShape& shape);

/// Makes plan->parts, each for one sample and `options`, and lays their packed weights out.
/// Errors  kSyntax for an invalid option
std::optional<Refusal> make_cntk_parts(const Options& options, CntkPlan* plan);

/// Computes all parts of one sample.
void run_cntk_parts(const CntkPlan& plan, const void* packed, const void* src, void* dst,
                    void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CNTK_PARTS_H_
