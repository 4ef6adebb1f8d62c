// SPDX-License-Identifier: Apache-2.0
// Narrow groups of f64 in plain C++: vectors of two, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/grouped/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_f64_generic.inc"

using Element = double;

#include "optimized/kernels/grouped/body.inc"

}  // namespace

const GroupedFamily* grouped_f64_generic() {
  static constexpr GroupedFamily kFamily = make_family("grouped_f64_generic", kDouble);
  return &kFamily;
}

}  // namespace concord::optimized
