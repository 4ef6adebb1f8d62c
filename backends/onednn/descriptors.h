// SPDX-License-Identifier: Apache-2.0
// A problem in oneDNN's words: memory descriptors with the user's strides, and the window.
#ifndef CONCORD_BACKENDS_ONEDNN_DESCRIPTORS_H_
#define CONCORD_BACKENDS_ONEDNN_DESCRIPTORS_H_

#include <dnnl.hpp>
#include <optional>
#include <string>

#include "backends/adapter/shape.h"
#include "spec/dtype.h"

namespace concord::backends {

/// The user's tensors.
/// Shapes  src [N,IC,spatial...], weights [OC,IC,spatial...] or, with groups,
///         [G,OC/G,IC/G,spatial...], bias [OC], dst [N,OC,spatial...]; the strides are the user's
struct Descriptors {
  dnnl::memory::desc src, weights, dst;
  std::optional<dnnl::memory::desc> bias;
};
/// Errors  throws dnnl::error where oneDNN cannot describe a tensor
Descriptors describe(Dtype dtype, const PaddedConvolution& p);

/// The window, one number a spatial axis. A dilation is 0 where it is dense.
struct PrimitiveWindow {
  dnnl::memory::dims strides, dilations, pads_begin, pads_end;
};
PrimitiveWindow primitive_window(const PaddedConvolution& p);

/// Names the first size that does not fit the 32 bits in which oneDNN's kernels hold it.
std::optional<std::string> beyond_32_bits(const PaddedConvolution& p);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ONEDNN_DESCRIPTORS_H_
