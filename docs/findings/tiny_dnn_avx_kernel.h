// SPDX-License-Identifier: Apache-2.0
// tiny-dnn's convolution with its AVX kernel for 5x5 taps, shared by the programs of its findings.
#ifndef CONCORD_DOCS_FINDINGS_TINY_DNN_AVX_KERNEL_H_
#define CONCORD_DOCS_FINDINGS_TINY_DNN_AVX_KERNEL_H_

#undef NDEBUG  // its asserts are on unless a user turns them off
#define CNN_USE_AVX
#define CNN_SINGLE_THREAD
#include <immintrin.h>
#include <tiny_dnn/util/util.h>

#include <algorithm>
#include <deque>
#include <ostream>
// This uses what is above,
#include <tiny_dnn/util/product.h>
// and this uses all, without including it.
#include <tiny_dnn/core/kernels/conv2d_op_avx.h>

/// One image of one channel, padding "valid", no bias: src [height, width] by weights
/// [channels_out, 5, 5].
inline tiny_dnn::vec_t convolve_5x5(const tiny_dnn::vec_t& src, const tiny_dnn::vec_t& weights,
                                    unsigned height, unsigned width, unsigned channels_out,
                                    unsigned stride) {
  using Shape = tiny_dnn::index3d<tiny_dnn::serial_size_t>;
  tiny_dnn::core::conv_params params;
  params.in = params.in_padded = Shape(width, height, 1);
  params.out = Shape((width - 5) / stride + 1, (height - 5) / stride + 1, channels_out);
  params.weight = Shape(5, 5, channels_out);
  params.has_bias = false;
  params.pad_type = tiny_dnn::padding::valid;
  params.w_stride = params.h_stride = stride;
  tiny_dnn::tensor_t dst{tiny_dnn::vec_t(params.out.size(), 0)};
  tiny_dnn::kernels::conv2d_op_avx({src}, weights, tiny_dnn::vec_t(channels_out, 0), dst, params,
                                   /*layer_parallelize=*/false);
  return dst[0];
}

#endif  // CONCORD_DOCS_FINDINGS_TINY_DNN_AVX_KERNEL_H_
