// SPDX-License-Identifier: Apache-2.0
// The attributes of the operations, as their users write them: nothing here is checked yet. A list
// may be empty, too long or negative; what that means is for the operation to say.
#ifndef CONCORD_SPEC_ATTRIBUTES_H_
#define CONCORD_SPEC_ATTRIBUTES_H_

#include <string_view>
#include <variant>

#include "spec/tensor.h"

namespace concord {

enum class AutoPad { kNone, kSameUpper, kSameLower, kValid };
/// "none", "same_upper", "same_lower" or "valid".
std::string_view to_string(AutoPad auto_pad);

/// What Convolution-1 and the oneDNN Graph Convolution have in common.
/// Units   strides, dilations and pads count elements; dilation 1 is dense
/// Source  docs/spec.md#convolution-1, docs/spec.md#onednn-graph-convolution
struct SpatialAttributes {
  Extents strides{};
  Extents pads_begin{};
  Extents pads_end{};
  Extents dilations{};
  AutoPad auto_pad = AutoPad::kNone;
  Extent groups = 1;
  DataFormat data_format = DataFormat::kNXC;
  bool operator==(const SpatialAttributes&) const = default;
};

struct Convolution1Attributes : SpatialAttributes {
  WeightsFormat filter_format = WeightsFormat::kXIO;
  bool operator==(const Convolution1Attributes&) const = default;
};

struct ConvolutionAttributes : SpatialAttributes {
  WeightsFormat weights_format = WeightsFormat::kXIO;
  bool operator==(const ConvolutionAttributes&) const = default;
};

enum class TfPadding { kSame, kValid };
/// "SAME" or "VALID".
std::string_view to_string(TfPadding padding);

/// Shapes  value (src) [B,H,W,Cin], filters (weights) [kh,kw,Cin,Cout], both dense or strided
/// Source  docs/spec.md#atrous_conv2d
struct AtrousConv2dAttributes {
  Extent rate = 1;
  TfPadding padding = TfPadding::kValid;
  bool operator==(const AtrousConv2dAttributes&) const = default;
};

using Attributes =
    std::variant<Convolution1Attributes, ConvolutionAttributes, AtrousConv2dAttributes>;

}  // namespace concord

#endif  // CONCORD_SPEC_ATTRIBUTES_H_
