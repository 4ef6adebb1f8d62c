// SPDX-License-Identifier: Apache-2.0
// tiny-dnn 1.0.0a3, AVX: a 5x5 convolution multiplies pixels beside its window by zeros, and 0
// times infinity is NaN. Exits with 0 if that is so.
#include <cmath>
#include <cstdio>
#include <limits>

#include "docs/findings/tiny_dnn_avx_kernel.h"

int main() {
  tiny_dnn::vec_t src(30, 1);
  for (unsigned row = 0; row < 5; ++row) {
    src[6 * row + 5] = std::numeric_limits<float>::infinity();
  }
  // The first window is columns 0 to 4, the second one 1 to 5.
  const tiny_dnn::vec_t dst = convolve_5x5(src, tiny_dnn::vec_t(25, 1), 5, 6, 1, 1);
  std::printf("a 5x6 image of ones with Inf in its last column: expected 25 inf, got %g %g\n",
              dst[0], dst[1]);
  return std::isnan(dst[0]) && std::isinf(dst[1]) ? 0 : 1;
}
