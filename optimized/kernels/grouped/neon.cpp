// SPDX-License-Identifier: Apache-2.0
// Narrow groups for aarch64's Advanced SIMD.
#include <arm_neon.h>
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_neon.inc"

using Element = float;

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f32_neon() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f32_neon", kSingle);
  return &kFamily;
}

}  // namespace concord::optimized
