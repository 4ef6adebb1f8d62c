// SPDX-License-Identifier: Apache-2.0
// CImg 3.2.1: correlate() with its default boundary condition ignores xcenter and ycenter for
// kernels of 2 to 5 taps a side, and zcenter's default is wrong for two taps. Exits with 0 if that
// is so.
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
  CImg<float> first(3, 3, 1, 1, 0);
  first(0, 0) = 1;  // with its centre there, too, the result is a copy
  const float centre = image.get_correlate(first, 1, false, 1, 0, 0, 0)(4, 4);

  CImg<float> volume(5, 5, 5);
  for (int i = 0; i < 125; ++i) {  // 100 z + 10 y + x
    const int value = i / 25 * 100 + i / 5 % 5 * 10 + i % 5;
    volume[i] = static_cast<float>(value);
  }
  CImg<float> copy(2, 2, 2, 1, 0);
  copy(0, 0, 0) = 1;  // the default centre of two taps is the first
  const float depth = volume.get_correlate(copy)(2, 2, 2);
  std::printf("centre 0,0: expected 44, got %g; two taps in depth: expected 222, got %g\n", centre,
              depth);
  return centre == 33 && depth == 322 ? 0 : 1;
}
