// SPDX-License-Identifier: Apache-2.0
// Winograd's transforms in plain C++: vectors of four, in the compiler's own notation.
#include <stddef.h>
#include <string.h>

#include "optimized/kernels/winograd/kernel.h"

namespace concord::optimized {
namespace {

#include "optimized/kernels/registers_generic.inc"
#include "optimized/kernels/winograd/body.inc"

}  // namespace

const WinogradFamily* winograd_f32_generic() {
  static constexpr WinogradFamily kFamily = make_family("winograd_f32_generic");
  return &kFamily;
}

}  // namespace concord::optimized
