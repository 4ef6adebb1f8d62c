// SPDX-License-Identifier: Apache-2.0
// OpenCV 4.6.0: a depthwise 3x3 layer with padding over an image of one row multiplies what lies
// behind that row. Exits with 0 if that is so.
#include <cstdio>

#include "docs/findings/opencv_depthwise.h"

int main() {
  // The tap below the middle sees only padding; behind the first channel's row of 1 to 40 lies the
  // second's, of 41 to 80.
  const cv::Mat dst = run_depthwise(1, 40, 2, 1, 1);
  const float second = dst.ptr<float>()[1];
  std::printf("dst[0,1]: expected 0, got %g\n", second);
  return second == 42 ? 0 : 1;
}
