// SPDX-License-Identifier: Apache-2.0
// LIBXSMM 1.17: padding along one axis alone is ignored. Exits with 0 if that is so.
#include <cstdio>
#include <vector>

#include "docs/findings/libxsmm_layer.h"

int main() {
  auto desc = describe(1, 3, 4, 1, 3, LIBXSMM_DNN_DATATYPE_F32);
  desc.pad_w = 1;
  libxsmm_dnn_err_t status = 0;
  auto* layer = libxsmm_dnn_create_conv_layer(desc, &status);
  auto* src = bind(layer, LIBXSMM_DNN_REGULAR_INPUT);
  auto* weights = bind(layer, LIBXSMM_DNN_REGULAR_FILTER);
  auto* dst = bind(layer, LIBXSMM_DNN_REGULAR_OUTPUT);
  bind_scratch(layer);
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, w = {1, 0, 0};
  std::vector<float> y(12);
  libxsmm_dnn_copyin_tensor(src, x.data(), LIBXSMM_DNN_TENSOR_FORMAT_NCHW);
  libxsmm_dnn_copyin_tensor(weights, w.data(), LIBXSMM_DNN_TENSOR_FORMAT_KCRS);
  status = libxsmm_dnn_execute_st(layer, LIBXSMM_DNN_COMPUTE_KIND_FWD, 0, 0);
  libxsmm_dnn_copyout_tensor(dst, y.data(), LIBXSMM_DNN_TENSOR_FORMAT_NCHW);
  // The window's first tap lies left of the output, in the padding of the first one.
  std::printf("first row: expected 0 1 2 3, got %g %g %g %g, status %u\n", y[0], y[1], y[2], y[3],
              status);
  return y[0] == 1 && y[3] == 4 ? 0 : 1;
}
