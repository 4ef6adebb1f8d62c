// SPDX-License-Identifier: Apache-2.0
// One group of a convolution by Eigen's tensors: patches of src contracted with the weights, or
// Eigen's own convolution of one channel.
#ifndef CONCORD_BACKENDS_EIGEN_PATCHES_H_
#define CONCORD_BACKENDS_EIGEN_PATCHES_H_

#include "backends/adapter/views.h"
#include "spec/dtype.h"

namespace concord::backends {

/// The memory of one group, every tensor dense.
/// Shapes  src [N,ID,IH,IW,IC], weights [KD,KH,KW,IC,OC], bias [OC] or null, dst [N,OD,OH,OW,OC],
///         with the group's own IC and OC
struct Group {
  Extent N, IC, OC;
  const void* src;
  const void* weights;
  const void* bias;
  void* dst;
};

/// Does a group of these channels go through Eigen's own convolution, of a padded copy of src, not
/// through patches? It has one channel of src and of dst, no dilation, and a copy of at most 2^24
/// elements.
bool is_one_channel(const Window& window, Extent N, Extent IC, Extent OC);

/// Computes dst with one thread.
/// Numeric  Eigen sums in the dtype itself: in f16 and bf16 every product and every sum is rounded
/// Errors   none; ID, OD, KD and their window are 1 unless `volume`, where dilations are 1
void convolve(Dtype dtype, const Window& window, bool volume, const Group& group);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_EIGEN_PATCHES_H_
