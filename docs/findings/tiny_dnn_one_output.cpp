// SPDX-License-Identifier: Apache-2.0
// tiny-dnn 1.0.0a3, AVX: a 5x5 convolution with one output takes the first 25 elements of the image
// for its window, however wide the image is. Exits with 0 if that is so.
#include <cstdio>

#include "docs/findings/tiny_dnn_avx_kernel.h"

int main() {
  // Strides of 2 leave out column 5, the only one that is not zero.
  tiny_dnn::vec_t src(30, 0);
  for (unsigned row = 0; row < 5; ++row) src[6 * row + 5] = 1;
  const tiny_dnn::vec_t dst = convolve_5x5(src, tiny_dnn::vec_t(25, 1), 5, 6, 1, 2);
  std::printf("a 5x6 image with ones in its last column, stride 2: expected 0, got %g\n", dst[0]);
  return dst.size() == 1 && dst[0] == 4 ? 0 : 1;
}
