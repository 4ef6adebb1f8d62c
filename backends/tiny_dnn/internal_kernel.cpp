// SPDX-License-Identifier: Apache-2.0
// The backend "internal" of tiny-dnn's convolutional layer: plain loops.
#define CNN_SINGLE_THREAD
#include "backends/tiny_dnn/kernel_of.h"

namespace concord::backends {

std::unique_ptr<TinyDnnKernel> internal_kernel(const PaddedConvolution& p, const Window& window) {
  return std::make_unique<KernelOf<tiny_dnn::kernels::conv2d_op_internal>>(p, window);
}

}  // namespace concord::backends
