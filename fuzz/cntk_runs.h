// SPDX-License-Identifier: Apache-2.0
// CNTK's Convolution for properties: problems, and the engine's answer to them.
#ifndef CONCORD_FUZZ_CNTK_RUNS_H_
#define CONCORD_FUZZ_CNTK_RUNS_H_

#include <cstdint>
#include <vector>

#include "optimized/operations/cntk.h"
#include "reference/cntk_2d.h"
#include "reference/cntk_value.h"

namespace concord::fuzz {

/// Integers from -9 to 9.
std::vector<double> cntk_integers(const Extents& dims, std::uint32_t seed);

/// The tensors' values in the reference's order: src and dst first axis fastest, weights as they
/// are read, row by row.
struct CntkValues {
  std::vector<double> src, weights;
};
CntkValues cntk_integers(const optimized::CntkTensors& tensors, std::uint32_t seed);

/// Runs the engine. `one_shot` packs on the way.
std::vector<double> run_cntk(const optimized::CntkPlan& plan, const CntkValues& values,
                             bool one_shot);

/// The tensors' extents as the reference takes them.
reference::CntkOperands operands_of(const optimized::CntkTensors& tensors);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_CNTK_RUNS_H_
