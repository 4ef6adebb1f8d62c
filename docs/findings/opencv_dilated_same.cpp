// SPDX-License-Identifier: Apache-2.0
// OpenCV 4.6.0: the dnn module's pad_mode "SAME" pads as if the kernel had no dilation. Exits with
// 0 if that is so.
#include <cstdio>

#include "docs/findings/opencv_layer.h"

int main() {
  // One channel of 4x4, a kernel of 2x2 with 1 at its first tap, dilation 2: its 3x3 window needs
  // two elements of padding an axis, one of them at the beginning.
  const int image_dims[] = {1, 1, 4, 4}, kernel_dims[] = {1, 1, 2, 2};
  cv::Mat image(4, image_dims, CV_32F), kernel(4, kernel_dims, CV_32F, cv::Scalar(0));
  kernel.ptr<float>()[0] = 1;
  cv::dnn::LayerParams layer;
  layer.set("dilation_h", 2);
  layer.set("dilation_w", 2);
  layer.set("pad_mode", cv::String("SAME"));
  const cv::Mat dst = convolve(layer, image, kernel);
  const auto* y = dst.ptr<float>();
  // The first tap of the second output of the second row lies on the image's first element.
  std::printf("dst[0,0] and dst[1,1]: expected 0 and 1, got %g and %g\n", y[0], y[5]);
  return y[0] == 1 && y[5] == 6 ? 0 : 1;
}
