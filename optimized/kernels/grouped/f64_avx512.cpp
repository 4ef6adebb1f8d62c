// SPDX-License-Identifier: Apache-2.0
// Narrow groups of f64 for AVX-512.
#include <immintrin.h>
#include <stddef.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_avx512.inc"

using Element = double;

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f64_avx512() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f64_avx512", kDouble);
  return &kFamily;
}

}  // namespace concord::optimized
