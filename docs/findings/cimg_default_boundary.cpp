// SPDX-License-Identifier: Apache-2.0
// CImg 3.2.1: correlate() with its default boundary condition shifts the image where the larger
// side of a kernel has 4 or 5 taps and the smaller one 2 or 3. Exits with 0 if that is so.
#define cimg_display 0
#include <CImg.h>

#include <cstdio>

int main() {
  using cimg_library::CImg;
  CImg<float> image(9, 9);
  for (int i = 0; i < 81; ++i) {
    const int value = i / 9 * 10 + i % 9;  // 10 y + x
    image[i] = static_cast<float>(value);
  }
  CImg<float> copy(3, 5, 1, 1, 0);  // all zero but the centre: the result is a copy
  copy(1, 2) = 1;
  const float neumann = image.get_correlate(copy)(4, 4);
  const float dirichlet = image.get_correlate(copy, 0)(4, 4);
  std::printf("centre tap alone, at (4,4): expected 44, got %g; with zeros outside %g\n", neumann,
              dirichlet);
  return neumann == 45 && dirichlet == 44 ? 0 : 1;
}
