// SPDX-License-Identifier: Apache-2.0
// The engine's own shape arithmetic for CNTK's Convolution, N-dimensional and 2-D. It shares
// nothing with the reference's.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CNTK_SHAPE_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CNTK_SHAPE_H_

#include <array>

#include "spec/attributes.h"
#include "spec/dtype.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::optimized {

inline constexpr std::size_t kCntkAxes = kMaxRank - 1;

/// One axis: window p covers the input from p * stride - lower on, and makes `maps` outputs, which
/// lie `positions` outputs apart. Strides are elements of the tensors' memory.
struct CntkAxis {
  Extent input = 1, kernel = 1, stride = 1;
  Extent positions = 1, maps = 1;
  Extent lower = 0;  ///< below 0: input before the first window
  bool shared = true;
  Extent src_step = 0, dst_step = 0;  ///< from one element to the next
  Extent cell_step = 0;               ///< from one weight of a run to the next along this axis
  Extent position_run = 0;            ///< from one position's run to the next; 0 if shared
  Extent map_run = 0;                 ///< from one map's run to the next
};

/// A valid convolution. Runs and cells count weights of the tensor read in order.
struct CntkShape {
  Dtype dtype = Dtype::kF32;
  std::array<CntkAxis, kCntkAxes> axes{};  ///< those from `rank` on have a single element
  std::size_t rank = 0;
  Extent samples = 0, src_sample = 0, dst_sample = 0;
  Extent kernel_size = 1;  ///< weights of a run
  Extent kernel_count = 1;
  Extent sub_batch = 0;  ///< how many samples may be treated at once
  Tensor src{}, weights{}, dst{};
  /// True where the steps count elements of dense copies, since no strides of the tensors
  /// themselves walk them in the order that the operation asks for.
  bool copies_weights = false, copies_images = false;

  bool is_empty() const;
};

/// The tensors; `dst` has dims to compare with, and strides, if the user gave them.
struct CntkTensors {
  Dtype dtype = Dtype::kF32;
  Tensor src{}, weights{};
  std::optional<Tensor> dst{};
};

/// Checks the N-dimensional form. src and dst without strides have their first axis fastest.
///
///   automatic  positions = ceil(i / stride), and the windows' common centre is the input's, its
///              half cell to the left: lower = floor((kernel - 1) / 2) - floor(rest / 2),
///              rest = i - 1 - (positions - 1) stride
///   otherwise  positions = floor((i + lower + upper - kernel) / stride) + 1
///
/// Errors  the first fault in the order of the Fault enumeration, as docs/spec.md#cntk-convolution
///         lists them; kLayout, kDst as for every operation
Result<CntkShape> infer_cntk(const CntkTensors& tensors, const CntkConvolutionAttributes& a,
                             Reading reading);
/// Checks the 2-D form, either layout.
Result<CntkShape> infer_cntk_2d(const CntkTensors& tensors, const CntkConvolution2dAttributes& a,
                                Reading reading);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CNTK_SHAPE_H_
