// SPDX-License-Identifier: Apache-2.0
// What libraries without auto_pad, and without AtrousConv2d, need: every operation lowered to one
// convolution with explicit padding, and the shape of its dst. Its shape arithmetic is independent:
// the suite must show that backends agree with the reference.
#ifndef CONCORD_BACKENDS_ADAPTER_SHAPE_H_
#define CONCORD_BACKENDS_ADAPTER_SHAPE_H_

#include <optional>
#include <string>

#include "backends/adapter/adapter.h"
#include "spec/problem.h"

namespace concord::backends {

/// A convolution of which every attribute is known and in range.
///
///   dst[n,oc,o] = bias[oc] + sum over ic, k of src[n, g*IC/G+ic, o*S + k*D - pad_begin] *
///                 weights[oc,ic,k],  g = oc / (OC/G), src 0 outside
///
/// I, O, K, S, D and the pads have spatial_rank elements each, outermost axis first. N, IC, OC, I
/// and O may be zero, where there is nothing to sum or to write.
struct PaddedConvolution {
  std::size_t spatial_rank = 0;
  Extent N = 0, G = 1, IC = 0, OC = 0;
  Extents I{}, O{}, K{}, S{}, D{};
  Extents pad_begin{}, pad_end{};  ///< never negative
  /// The tensors with their axes channels first, wherever they lie in memory: src [N,IC,I],
  /// weights [OC,IC/G,K], dst [N,OC,O]. Always with strides; those of dst are the problem's, or
  /// dense in its data format.
  Tensor src{}, weights{}, dst{};
  /// The stride of bias, 0 if one element is for all channels; nothing without a bias.
  std::optional<Extent> bias_stride{};
  Extents dst_dims{};  ///< in the axis order of the problem's data format

  Extent ICG() const { return IC / G; }
  Extent OCG() const { return OC / G; }
};

/// Lowers `problem`: resolves auto_pad or AtrousConv2d's padding by the problem's reading, and
/// infers dst.
/// Errors  CONCORD_UNSUPPORTED for other operations, for a Convolution of more than three spatial
///         axes, and for atrous_conv2d's VALID as documented
///         where its output is smaller than what fits: no padding expresses that.
///         CONCORD_INVALID with the attribute and its value, for whatever a specification forbids:
///         ranks, extents, layouts, attributes, channels that do not fit, a dilated kernel that
///         exceeds the padded input by more than a stride, a dst of another shape
/// Source  docs/spec.md#padding
Or<PaddedConvolution> lower(const Problem& problem);

/// Declines what has more than three spatial axes, for libraries that have no more.
std::optional<Refused> beyond_three_axes(const PaddedConvolution& p);

/// What lower() did that is more than reading attributes, for Answer::adapter_part: "auto_pad",
/// "AtrousConv2d as a dilated convolution" or nothing.
std::string lowering_part(const Problem& problem);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_SHAPE_H_
