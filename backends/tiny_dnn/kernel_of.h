// SPDX-License-Identifier: Apache-2.0
// A TinyDnnKernel that calls one of tiny-dnn's functions.
#ifndef CONCORD_BACKENDS_TINY_DNN_KERNEL_OF_H_
#define CONCORD_BACKENDS_TINY_DNN_KERNEL_OF_H_

#include <immintrin.h>
#include <tiny_dnn/util/util.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <ostream>
// This uses what is above,
#include <tiny_dnn/util/product.h>
// and this uses all, without including it.
#include <tiny_dnn/core/kernels/conv2d_op_avx.h>

#include "backends/tiny_dnn/kernel.h"

namespace concord::backends {
namespace {

inline tiny_dnn::core::conv_params params_of(const PaddedConvolution& p, const Window& w) {
  using Size = tiny_dnn::serial_size_t;
  const auto shape = [](const Window::Spatial& extents, Extent channels) {
    return tiny_dnn::index3d<Size>(static_cast<Size>(extents[2]), static_cast<Size>(extents[1]),
                                   static_cast<Size>(channels));
  };
  tiny_dnn::core::conv_params params;
  params.in = params.in_padded = shape(w.I, p.ICG());
  params.out = shape(w.O, p.OCG());
  params.weight = shape(w.K, p.ICG() * p.OCG());
  params.has_bias = p.bias_stride.has_value();
  params.pad_type = tiny_dnn::padding::valid;
  params.w_stride = static_cast<Size>(w.S[2]);
  params.h_stride = static_cast<Size>(w.S[1]);
  return params;
}

using Convolve = void(const tiny_dnn::tensor_t& src, const tiny_dnn::vec_t& weights,
                      const tiny_dnn::vec_t& bias, tiny_dnn::tensor_t& dst,
                      const tiny_dnn::core::conv_params& params, bool parallelize);

template <Convolve* convolve>
class KernelOf : public TinyDnnKernel {
 public:
  KernelOf(const PaddedConvolution& p, const Window& window)
      : params_(params_of(p, window)),
        src_(static_cast<std::size_t>(p.N), tiny_dnn::vec_t(params_.in.size())),
        dst_(static_cast<std::size_t>(p.N), tiny_dnn::vec_t(params_.out.size())),
        weights_(params_.weight.size()),
        bias_(params_.out.depth_, 0) {}

  void run(const GroupMemory& group) override {
    const std::byte* src = group.src;
    for (tiny_dnn::vec_t& image : src_) src = read(src, image);
    read(group.weights, weights_);
    if (group.bias != nullptr) read(group.bias, bias_);
    tiny_dnn::fill_tensor(dst_, 0);    // onto which it adds
    constexpr bool kParallel = false;  // over the images
    convolve(src_, weights_, bias_, dst_, params_, kParallel);
    std::byte* dst = group.dst;
    for (const tiny_dnn::vec_t& image : dst_) {
      std::memcpy(dst, image.data(), image.size() * sizeof(float));
      dst += image.size() * sizeof(float);
    }
  }

 private:
  static const std::byte* read(const std::byte* from, tiny_dnn::vec_t& to) {
    std::memcpy(to.data(), from, to.size() * sizeof(float));
    return from + to.size() * sizeof(float);
  }

  tiny_dnn::core::conv_params params_;
  tiny_dnn::tensor_t src_, dst_;
  tiny_dnn::vec_t weights_, bias_;
};

}  // namespace
}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_TINY_DNN_KERNEL_OF_H_
