// SPDX-License-Identifier: Apache-2.0
// The backend "avx" of tiny-dnn's convolutional layer: a kernel for 5x5 taps, and the loops of
// "internal" for all others.
#define CNN_SINGLE_THREAD
#define CNN_USE_AVX
// Its headers define other functions here than in internal_kernel.cpp: they need another name.
#define tiny_dnn tiny_dnn_avx
#include "backends/tiny_dnn/kernel_of.h"

namespace concord::backends {

std::unique_ptr<TinyDnnKernel> avx_kernel(const PaddedConvolution& p, const Window& window) {
  return std::make_unique<KernelOf<tiny_dnn::kernels::conv2d_op_avx>>(p, window);
}

}  // namespace concord::backends
