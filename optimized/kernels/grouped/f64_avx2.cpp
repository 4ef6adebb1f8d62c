// SPDX-License-Identifier: Apache-2.0
// Narrow groups of f64 for AVX2 and FMA.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx2.inc"

using Element = double;

#define CONCORD_ADD_PRODUCT "vfmadd231pd"
#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f64_avx2() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f64_avx2", kDouble);
  return &kFamily;
}

}  // namespace concord::optimized
