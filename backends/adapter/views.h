// SPDX-License-Identifier: Apache-2.0
// A padded convolution with three spatial axes, whatever its rank: what a layout conversion copies
// from and to, and the window's numbers.
#ifndef CONCORD_BACKENDS_ADAPTER_VIEWS_H_
#define CONCORD_BACKENDS_ADAPTER_VIEWS_H_

#include <array>
#include <cstddef>
#include <initializer_list>

#include "backends/adapter/shape.h"

namespace concord::backends {

/// Depth, height and width; leading axes that the problem lacks have extent 1 and no padding.
struct Window {
  using Spatial = std::array<Extent, 3>;
  Spatial I{}, O{}, K{}, S{}, D{}, pad_begin{}, pad_end{};
};
/// `p` has at most three spatial axes.
Window window_of(const PaddedConvolution& p);

/// The user's tensors, their elements where they are. Of at most three spatial axes.
/// Shapes  src [N,G,IC/G,ID,IH,IW], weights [G,OC/G,IC/G,KD,KH,KW], dst [N,G,OC/G,OD,OH,OW], bias
///         [OC], or no dimensions without one; all with strides
struct Views {
  Tensor src{}, weights{}, dst{}, bias{};
};
Views views_of(const PaddedConvolution& p);

/// The tensor's axes in the given order; the elements stay where they are.
Tensor ordered(const Tensor& tensor, std::initializer_list<std::size_t> axes);

/// A dense tensor of the same dims.
inline Tensor dense(const Tensor& tensor) { return {tensor.dims, dense_strides(tensor.dims)}; }

/// Is `tensor` dense, last axis fastest? Strides of axes with one element do not matter.
bool is_dense(const Tensor& tensor);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_VIEWS_H_
