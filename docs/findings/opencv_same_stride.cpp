// SPDX-License-Identifier: Apache-2.0
// OpenCV 4.6.0: the dnn module's pad_mode "SAME" adds no padding where the stride is larger than
// the kernel. Exits with 0 if that is so.
#include <cstdio>

#include "docs/findings/opencv_layer.h"

int main() {
  // One channel of 1x5, a kernel of 1x3 with 1 at its middle tap, stride 4: two outputs, whose
  // windows need one element of padding at either end.
  const int image_dims[] = {1, 1, 1, 5}, kernel_dims[] = {1, 1, 1, 3};
  cv::Mat image(4, image_dims, CV_32F), kernel(4, kernel_dims, CV_32F, cv::Scalar(0));
  kernel.ptr<float>()[1] = 1;
  cv::dnn::LayerParams layer;
  layer.set("stride_h", 1);
  layer.set("stride_w", 4);
  layer.set("pad_mode", cv::String("SAME"));
  const cv::Mat dst = convolve(layer, image, kernel);
  const auto* y = dst.ptr<float>();
  std::printf("dst: expected 1 and 5, got %g and %g\n", y[0], y[1]);
  return dst.total() == 2 && y[0] == 2 && y[1] == 0 ? 0 : 1;
}
