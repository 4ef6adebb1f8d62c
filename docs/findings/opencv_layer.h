// SPDX-License-Identifier: Apache-2.0
// A convolution by OpenCV's dnn module, without a bias.
#ifndef CONCORD_DOCS_FINDINGS_OPENCV_LAYER_H_
#define CONCORD_DOCS_FINDINGS_OPENCV_LAYER_H_

#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>

/// Fills `image` with 1, 2, 3, ..., and convolves it with `kernel` as `layer` says.
inline cv::Mat convolve(cv::dnn::LayerParams layer, cv::Mat image, const cv::Mat& kernel) {
  for (int i = 0; i < static_cast<int>(image.total()); ++i) {
    image.ptr<float>()[i] = static_cast<float>(i + 1);
  }
  layer.set("num_output", kernel.size[0]);
  layer.set("bias_term", false);
  layer.set("kernel_h", kernel.size[2]);
  layer.set("kernel_w", kernel.size[3]);
  layer.blobs.push_back(kernel);
  cv::dnn::Net net;
  net.addLayerToPrev("convolution", "Convolution", layer);
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  net.setInput(image);
  return net.forward().clone();
}

#endif  // CONCORD_DOCS_FINDINGS_OPENCV_LAYER_H_
