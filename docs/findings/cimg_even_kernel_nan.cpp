// SPDX-License-Identifier: Apache-2.0
// CImg 3.2.1: correlate() with its default boundary condition widens a kernel of 2x2 taps to 3x3 by
// zeros, and multiplies infinities beside the window with them. Exits with 0 if that is so.
#define cimg_display 0
#include <CImg.h>

#include <cmath>
#include <cstdio>
#include <limits>

int main() {
  using cimg_library::CImg;
  CImg<float> image(4, 2, 1, 1, 1);
  image(0, 0) = std::numeric_limits<float>::infinity();
  // The window of (1,0) is (1..2, 0..1): it does not hold (0,0).
  const CImg<float> ones(2, 2, 1, 1, 1);
  const float neumann = image.get_correlate(ones)(1, 0);
  const float dirichlet = image.get_correlate(ones, 0)(1, 0);
  std::printf("four ones: expected 4, got %g; with zeros outside %g\n", neumann, dirichlet);
  return std::isnan(neumann) && dirichlet == 4 ? 0 : 1;
}
