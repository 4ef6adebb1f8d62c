// SPDX-License-Identifier: Apache-2.0
// Narrow groups in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_generic.inc"

using Element = float;

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f32_generic() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f32_generic", kSingle);
  return &kFamily;
}

}  // namespace concord::optimized
