// SPDX-License-Identifier: Apache-2.0
// The geometry of CNTK's N-dimensional Convolution: docs/spec.md#cntk-convolution.
#ifndef CONCORD_REFERENCE_CNTK_GEOMETRY_H_
#define CONCORD_REFERENCE_CNTK_GEOMETRY_H_

#include <array>

#include "spec/attributes.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

/// The most that a tensor of kMaxRank axes has besides samples.
inline constexpr std::size_t kCntkRank = kMaxRank - 1;
/// An index into the input, the output or the kernel, the first axis fastest.
using CntkIndex = std::array<Extent, kCntkRank>;

/// One axis. The window of position p covers the input from p * stride - lower on.
struct CntkAxis {
  Extent input = 1, kernel = 1, stride = 1;
  Extent positions = 1;  ///< how many windows there are; may be 0
  Extent map_count = 1;  ///< how many output elements a window has along this axis
  Extent lower = 0;      ///< cells before the input; where negative, input that no window sees
  Extent upper = 0;      ///< the same after the input
  bool sharing = true;   ///< all positions use the same weights
  bool auto_padding = false;

  Extent output() const { return positions * map_count; }
  /// The input cell under the centre, cell (kernel - 1) / 2, of the first window.
  Extent start() const { return (kernel - 1) / 2 - lower; }
};

/// A convolution with every field set. Axes beyond `rank` are those of a single element.
struct CntkGeometry {
  std::array<CntkAxis, kCntkRank> axes{};
  std::size_t rank = 0;
  Extent samples = 0;
  Extent kernel_size = 1;   ///< cells of a kernel
  Extent kernel_count = 1;  ///< kernels, each a run of kernel_size weights
  Extent sub_batch = 0;     ///< how many samples an engine may treat at once
  Extents dst{};            ///< [o_1, .., o_rank, samples], the first axis fastest

  /// Of the input: [i_1, .., i_rank, samples].
  Extents src() const;
  /// Which kernel computes output element `out`.
  ///
  ///   acc = 0, f = 1;  for each axis: if it is not shared, acc += f * position, f *= positions;
  ///                                   if it has maps, acc += f * map, f *= map_count
  Extent kernel_of(const CntkIndex& out) const;
  /// The position and the map along `axis` of output element `out`.
  Extent position(std::size_t axis, const CntkIndex& out) const {
    return out[axis] % axes[axis].positions;
  }
  Extent map(std::size_t axis, const CntkIndex& out) const {
    return out[axis] / axes[axis].positions;
  }
};

/// The tensors' extents, as attributes.h lays them out.
struct CntkOperands {
  Extents src{};      ///< [i_1, .., i_rank, samples]
  Extents weights{};  ///< [kernels, cells]
};

/// Checks a Convolution and fixes its geometry.
///
///   automatic  positions = floor((i - 1) / stride) + 1
///              start = floor((i - 1 - (positions - 1) * stride) / 2)
///   otherwise  positions = floor((i + lower + upper - kernel) / stride) + 1
///              start = floor((kernel - 1) / 2) - lower
///   output     positions * map_count;  kernel_count = product over the axes of map_count if
///              shared, else of positions * map_count
///
/// Numeric  the documented reading accepts what only the system refuses: see the errors marked *
/// Errors   the first of: kRank (src has no axis besides samples, weights are not a matrix);
///          kSize (an extent or maxTempMemSizeInSamples is negative, or something is too large to
///          count); kStrides,
///          kPads (lowerPad, upperPad; * explicit padding that leaves input cells under no
///          window), kPadding (autoPadding; * padding over the last axis at a stride below its
///          extent), kMapCount, kSharing, kChannels (weights are not kernels times cells;
///          the system looks at their product alone), kKernel (not one positive extent per axis,
///          the output would be negative; * kernel larger than the input, or than the padded
///          input where padding is explicit). The system completes a kernel that lacks axes by
///          the input's extents, with as large a stride and no padding.
/// Source   docs/spec.md#cntk-convolution
Result<CntkGeometry> resolve_cntk(const CntkOperands& operands, const CntkConvolutionAttributes& a,
                                  Reading reading);

/// What a matrix-product engine may keep at once to convolve, or to find the gradient by the
/// weights: the cells under each window, and its maps.
///
///   output cells of one map * sub_batch * (kernel_size + (maps if sub_batch > 1))
///
/// Units   elements
/// Errors  none if it fits 64 bits, else nothing
std::optional<Extent> cntk_workspace(const CntkGeometry& g);

/// The same for the gradient by the input: the outputs above each input cell, and its channels.
/// The transposed weights, which no sample needs, are not counted. The last axis has the channels,
/// all of them, if the kernel covers it once; else each input cell is a channel of its own.
///
///   input cells of one channel * sub_batch * (kernel cells of one channel * maps
///                                             + (channels if there are several and sub_batch > 1))
///
/// Units   elements
/// Errors  as cntk_workspace()
/// Source  microsoft/CNTK, Source/Math/ConvolutionEngine.cpp: its engine by matrix products
std::optional<Extent> cntk_data_gradient_workspace(const CntkGeometry& g);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CNTK_GEOMETRY_H_
