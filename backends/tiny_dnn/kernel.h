// SPDX-License-Identifier: Apache-2.0
// tiny-dnn's kernels for the convolution of one group, behind an interface without its headers:
// they define other functions where AVX is on, so that each kernel is a source of its own.
#ifndef CONCORD_BACKENDS_TINY_DNN_KERNEL_H_
#define CONCORD_BACKENDS_TINY_DNN_KERNEL_H_

#include <memory>

#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"
#include "backends/adapter/views.h"

namespace concord::backends {

class TinyDnnKernel {
 public:
  virtual ~TinyDnnKernel() = default;
  /// All in f32.
  virtual void run(const GroupMemory& group) = 0;
};

/// Kernels for all groups of `p`, whose src has the padding around it already.
using MakeTinyDnnKernel = std::unique_ptr<TinyDnnKernel> (*)(const PaddedConvolution& p,
                                                             const Window& window);
std::unique_ptr<TinyDnnKernel> internal_kernel(const PaddedConvolution& p, const Window& window);
std::unique_ptr<TinyDnnKernel> avx_kernel(const PaddedConvolution& p, const Window& window);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_TINY_DNN_KERNEL_H_
