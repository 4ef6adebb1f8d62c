// SPDX-License-Identifier: Apache-2.0
// OpenCV 4.6.0: a depthwise 3x3 layer with padding 1 and dilation 2 along a row multiplies the
// wrong pixels in the first column. Exits with 0 if that is so.
#include <cstdio>

#include "docs/findings/opencv_depthwise.h"

int main() {
  // The middle tap of the first window lies at column -1 + 2 = 1.
  const cv::Mat dst = run_depthwise(9, 40, 1, 1, 2);
  const float first = dst.ptr<float>()[0], second = dst.ptr<float>()[1];
  std::printf("dst[0,0] and dst[0,1]: expected 2 and 3, got %g and %g\n", first, second);
  return first != 2 && second == 3 ? 0 : 1;
}
