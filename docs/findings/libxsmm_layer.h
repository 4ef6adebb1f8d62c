// SPDX-License-Identifier: Apache-2.0
// The steps of LIBXSMM's samples: a convolution layer of one image, run by one thread.
#ifndef CONCORD_DOCS_FINDINGS_LIBXSMM_LAYER_H_
#define CONCORD_DOCS_FINDINGS_LIBXSMM_LAYER_H_

#include <libxsmm.h>

#include <initializer_list>

/// A description with stride 1 and no padding, in LIBXSMM's own layouts, of one output channel.
inline libxsmm_dnn_conv_desc describe(int C, int H, int W, int R, int S,
                                      libxsmm_dnn_datatype type) {
  libxsmm_dnn_conv_desc desc{};
  desc.N = desc.K = desc.u = desc.v = desc.threads = 1;
  desc.C = C, desc.H = H, desc.W = W, desc.R = R, desc.S = S;
  desc.datatype_in = desc.datatype_out = type;
  desc.buffer_format = desc.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_LIBXSMM;
  desc.algo = LIBXSMM_DNN_CONV_ALGO_DIRECT;
  desc.options = LIBXSMM_DNN_CONV_OPTION_OVERWRITE;
  desc.fuse_ops = LIBXSMM_DNN_CONV_FUSE_NONE;
  return desc;
}

/// A tensor of zeros, bound to the layer; null if there is none.
inline libxsmm_dnn_tensor* bind(libxsmm_dnn_layer* layer, libxsmm_dnn_tensor_type type) {
  libxsmm_dnn_err_t status = 0;
  auto* layout = libxsmm_dnn_create_tensor_datalayout(layer, type, &status);
  void* memory = libxsmm_aligned_malloc(libxsmm_dnn_get_tensor_size(layout, &status), 64);
  auto* tensor = libxsmm_dnn_link_tensor(layout, memory, &status);
  if (status != LIBXSMM_DNN_SUCCESS) return nullptr;
  libxsmm_dnn_zero_tensor(tensor);
  libxsmm_dnn_bind_tensor(layer, tensor, type);
  return tensor;
}

inline void bind_scratch(libxsmm_dnn_layer* layer) {
  libxsmm_dnn_err_t status = 0;
  const auto kind = LIBXSMM_DNN_COMPUTE_KIND_FWD;
  const size_t bytes = libxsmm_dnn_get_scratch_size(layer, kind, &status);
  libxsmm_dnn_bind_scratch(layer, kind, libxsmm_aligned_malloc(bytes + 64, 64));
}

/// Makes a layer of zeros and executes it; false if it cannot be made.
inline bool executes(const libxsmm_dnn_conv_desc& desc) {
  libxsmm_dnn_err_t status = 0;
  auto* layer = libxsmm_dnn_create_conv_layer(desc, &status);
  if (layer == nullptr || status != LIBXSMM_DNN_SUCCESS) return false;
  for (const auto type :
       {LIBXSMM_DNN_REGULAR_INPUT, LIBXSMM_DNN_REGULAR_FILTER, LIBXSMM_DNN_REGULAR_OUTPUT}) {
    if (bind(layer, type) == nullptr) return false;
  }
  bind_scratch(layer);
  libxsmm_dnn_execute_st(layer, LIBXSMM_DNN_COMPUTE_KIND_FWD, 0, 0);
  return true;
}

#endif  // CONCORD_DOCS_FINDINGS_LIBXSMM_LAYER_H_
