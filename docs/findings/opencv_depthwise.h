// SPDX-License-Identifier: Apache-2.0
// A depthwise layer of OpenCV's dnn module with one tap of 3x3.
#ifndef CONCORD_DOCS_FINDINGS_OPENCV_DEPTHWISE_H_
#define CONCORD_DOCS_FINDINGS_OPENCV_DEPTHWISE_H_

#include "docs/findings/opencv_layer.h"

/// Two channels of `height` rows of `width` elements 1, 2, 3, ... under 3x3 taps of 0 but for a 1
/// at (row, column), with padding 1 at all ends.
inline cv::Mat run_depthwise(int height, int width, int row, int column, int dilation) {
  const int image_dims[] = {1, 2, height, width}, kernel_dims[] = {2, 1, 3, 3};
  cv::Mat image(4, image_dims, CV_32F), kernel(4, kernel_dims, CV_32F, cv::Scalar(0));
  for (int c = 0; c < 2; ++c) kernel.ptr<float>()[9 * c + 3 * row + column] = 1;
  cv::dnn::LayerParams layer;
  layer.set("group", 2);
  layer.set("pad", 1);
  layer.set("dilation_h", 1);
  layer.set("dilation_w", dilation);
  return convolve(layer, image, kernel);
}

#endif  // CONCORD_DOCS_FINDINGS_OPENCV_DEPTHWISE_H_
