// SPDX-License-Identifier: Apache-2.0
// The attributes of the operations, as their users write them: nothing here is checked yet. A list
// may be empty, too long or negative; the operation decides what that means.
#ifndef CONCORD_SPEC_ATTRIBUTES_H_
#define CONCORD_SPEC_ATTRIBUTES_H_

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "spec/rational.h"
#include "spec/tensor.h"
#include "spec/words.h"

namespace concord {

enum class AutoPad { kNone, kSameUpper, kSameLower, kValid };
template <>
inline constexpr std::array kWords<AutoPad> =
    std::to_array<std::string_view>({"none", "same_upper", "same_lower", "valid"});

/// The attributes shared by Convolution-1 and the oneDNN Graph Convolution.
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

enum class TfPadding {
  kSame,
  kValid,
  kOther  ///< neither of the document's two strings (in capitals): must be refused
};
template <>
inline constexpr std::array kWords<TfPadding> = std::to_array<std::string_view>({"SAME", "VALID",
                                                                                 "other"});

/// Shapes  value (src) [B,H,W,Cin], filters (weights) [kh,kw,Cin,Cout], both dense or strided
/// Source  docs/spec.md#atrous_conv2d
struct AtrousConv2dAttributes {
  Extent rate = 1;  ///< an int32 in the document
  TfPadding padding = TfPadding::kValid;
  std::string other_padding{};  ///< what the user wrote, where padding is kOther; else empty
  bool operator==(const AtrousConv2dAttributes&) const = default;
};

/// TensorFlow's space_to_batch, as atrous_conv2d uses it.
/// Shapes  src [B,H,W,C], dst [B*block^2, (H+top+bottom)/block, (W+left+right)/block, C]
/// Source  docs/spec.md#atrous_conv2d
struct SpaceToBatchAttributes {
  Extent block_size = 1;
  Extents paddings{0, 0, 0, 0};  ///< top, bottom, left, right
  bool operator==(const SpaceToBatchAttributes&) const = default;
};

/// The inverse of space_to_batch, with crops in place of paddings.
struct BatchToSpaceAttributes {
  Extent block_size = 1;
  Extents crops{0, 0, 0, 0};  ///< top, bottom, left, right
  bool operator==(const BatchToSpaceAttributes&) const = default;
};

/// A sequence of atrous_conv2d of one rate, SAME, inside one space_to_batch and batch_to_space.
/// Shapes  value (src) [B,H,W,C], filters (weights) [layers,kh,kw,C,C] with odd kh and kw, dst as
///         value
/// Source  docs/spec.md#the-other-two-ways-and-the-chain
struct AtrousChainAttributes {
  Extent rate = 1;
  bool operator==(const AtrousChainAttributes&) const = default;
};

enum class CntkLayout { kCudnn, kHwc };
template <>
inline constexpr std::array kWords<CntkLayout> = std::to_array<std::string_view>({"cudnn", "HWC"});

/// CNTK's N-D Convolution. A list has one element per input axis, or one for all of them.
/// Shapes  src [i_1, .., i_r, samples] with the first axis fastest; weights [runs, cells], a run of
///         cells contiguous, the first kernel axis fastest; dst [o_1, .., o_r, samples], first
///         axis fastest
/// Source  docs/spec.md#cntk-convolution
struct CntkConvolutionAttributes {
  Extents kernel{};
  Extents map_count{0};  ///< 0: as many as weights have rows
  Extents stride{1};
  Extents sharing{1};       ///< flags: 0 means separate weights at every position of it
  Extents auto_padding{1};  ///< flags
  Extents lower_pad{0};
  Extents upper_pad{0};
  Extent max_temp_mem_size_in_samples = 0;       ///< 0: the whole minibatch
  CntkLayout image_layout = CntkLayout::kCudnn;  ///< no other is legal
  bool operator==(const CntkConvolutionAttributes&) const = default;
};

/// The gradient of a loss with respect to the N-D form's input.
/// Shapes  src, of which only the shape counts, and weights as of the convolution; diff_dst as its
///         dst; dst (the result) as src
struct CntkBackwardDataAttributes : CntkConvolutionAttributes {
  bool operator==(const CntkBackwardDataAttributes&) const = default;
};

/// The gradient with respect to its weights.
/// Shapes  the same; of weights only the shape counts, and dst (the result) is as weights
struct CntkBackwardWeightsAttributes : CntkConvolutionAttributes {
  bool operator==(const CntkBackwardWeightsAttributes&) const = default;
};

/// CNTK's 2-D Convolution.
/// Shapes  cudnn: src [W,H,C,samples], dst [W',H',maps,samples]; HWC: src
///         [C,W,H,samples], dst [maps,W',H',samples]; the first axis fastest. weights [maps,
///         kernelWidth*kernelHeight*C]: cudnn as in the N-D form, HWC with the first axis fastest
struct CntkConvolution2dAttributes {
  Extent kernel_width = 1, kernel_height = 1;
  Extent map_count = 0;  ///< 0: as many as weights have rows
  Extent horizontal_stride = 1, vertical_stride = 1;
  Extent zero_padding = 0;  ///< a flag
  Extent max_temp_mem_size_in_samples = 0;
  CntkLayout image_layout = CntkLayout::kCudnn;
  bool operator==(const CntkConvolution2dAttributes&) const = default;
};

/// Which neighbours count when one is exactly at the border of the kernel's support.
enum class Ties {
  kHalfOpen,  ///< the left one, not the right one
  kOpen,      ///< neither
  kClosed     ///< both
};
template <>
inline constexpr std::array kWords<Ties> = std::to_array<std::string_view>({"half_open", "open",
                                                                            "closed"});

/// The value of a neighbour outside the image.
enum class Boundary {
  kZero,
  kReplicate,  ///< the nearest element: 0 0 [0 1 2] 2 2
  kReflect,    ///< mirrored about the outermost element: 2 1 [0 1 2] 1 0
  kSymmetric   ///< mirrored about the image's edge: 1 0 [0 1 2] 2 1
};
template <>
inline constexpr std::array kWords<Boundary> =
    std::to_array<std::string_view>({"zero", "replicate", "reflect", "symmetric"});

/// The continuous kernel K_theta.
enum class KernelFunction {
  kNet,   ///< the Internal-Net of Table 2, from the two distances to Cout*Cin weights
  kNetK,  ///< the efficient variant: from the distance of the first neighbour to Cout*Cin*K weights
  kKeys,  ///< the cubic of Keys with a = -1/2, the same for every pair of equal channels
  kNetKNearest,  ///< as kNetK, from the distance of the closest pixel, the left one of two
  kNetKGrid      ///< as kNetK, from the grid itself: no two outputs need have the same weights
};
template <>
inline constexpr std::array kWords<KernelFunction> =
    std::to_array<std::string_view>({"net", "net_k", "keys", "net_k_nearest", "net_k_grid"});
/// True of the variants whose net is asked once for all the weights of an output.
constexpr bool predicts_all(KernelFunction function) {
  return function != KernelFunction::kNet && function != KernelFunction::kKeys;
}

/// The continuous convolution layer, and its gradients.
/// Shapes  src [N,Cin,H,W], weights theta [parameters] (A1, b1, A2, b2, A3, b3, each row-major),
///         dst [N,Cout,H',W']
/// Source  docs/spec.md#continuous-convolution
struct ContinuousAttributes {
  Rational scale_h{1}, scale_w{1};
  Extents size{};  ///< H',W'; empty means ceil(scale * input)
  Extents kernel{3, 3};
  Extent channels = 1;  ///< Cout
  KernelFunction function = KernelFunction::kNet;
  Extents widths{16, 16};  ///< of the two hidden layers
  Rational slope{1, 100};  ///< of the LeakyReLU
  Ties ties = Ties::kHalfOpen;
  Boundary boundary = Boundary::kZero;
  bool operator==(const ContinuousAttributes&) const = default;
};

/// The gradient of a loss with respect to the layer's input, diff_src.
/// Shapes  weights theta, diff_dst [N,Cout,H',W'], dst (the result) [N,Cin,H,W] as src, of which
///         only the shape counts
struct ContinuousBackwardDataAttributes : ContinuousAttributes {
  bool operator==(const ContinuousBackwardDataAttributes&) const = default;
};

/// The gradient with respect to theta.
/// Shapes  src [N,Cin,H,W], weights theta, diff_dst [N,Cout,H',W'], dst (the result) [parameters]
struct ContinuousBackwardWeightsAttributes : ContinuousAttributes {
  bool operator==(const ContinuousBackwardWeightsAttributes&) const = default;
};

/// The gradient with respect to the grid, the neighbours held fixed.
/// Shapes  as for theta, dst (the result) [2,H',W']
struct ContinuousBackwardGridAttributes : ContinuousAttributes {
  bool operator==(const ContinuousBackwardGridAttributes&) const = default;
};

/// The gradient with respect to W, the weights that K_theta predicts.
/// Shapes  as for theta, of which only the shape counts, dst (the result) [1,Cout,Cin,K,H',W']
struct ContinuousBackwardKernelAttributes : ContinuousAttributes {
  bool operator==(const ContinuousBackwardKernelAttributes&) const = default;
};

using Rationals = std::vector<Rational>;

/// Layers of one support and one number of channels, each applied to the result of the one before
/// it. Their sizes are those of Eq. 4, by the product of the scales so far.
/// Shapes  src [N,C,H,W], weights [layers,parameters], theta of each layer, dst [N,C,H',W'] with H'
///         and W' the extents of src times all scales, which must be integers
struct ContinuousChainAttributes {
  Rationals scales_h{}, scales_w{};  ///< one of each a layer
  Extents kernel{3, 3};
  KernelFunction function = KernelFunction::kNet;
  Extents widths{16, 16};
  Rational slope{1, 100};
  Ties ties = Ties::kHalfOpen;
  Boundary boundary = Boundary::kZero;

  /// A layer of the chain, whose scales are 1.
  ContinuousAttributes layer(Extent channels) const {
    return {.kernel = kernel,
            .channels = channels,
            .function = function,
            .widths = widths,
            .slope = slope,
            .ties = ties,
            .boundary = boundary};
  }
  bool operator==(const ContinuousChainAttributes&) const = default;
};

using Attributes = std::variant<
    Convolution1Attributes, ConvolutionAttributes, AtrousConv2dAttributes, SpaceToBatchAttributes,
    BatchToSpaceAttributes, CntkConvolutionAttributes, CntkConvolution2dAttributes,
    ContinuousAttributes, ContinuousBackwardDataAttributes, ContinuousBackwardWeightsAttributes,
    AtrousChainAttributes, ContinuousBackwardGridAttributes, ContinuousBackwardKernelAttributes,
    ContinuousChainAttributes, CntkBackwardDataAttributes, CntkBackwardWeightsAttributes>;

/// The operations, in the order of the alternatives of Attributes. All else that is known of one is
/// its row in spec/operations.h.
enum class Operation {
  kConvolution1,
  kConvolution,
  kAtrousConv2d,
  kSpaceToBatch,
  kBatchToSpace,
  kCntkConvolution,
  kCntkConvolution2d,
  kContinuousConvolution,
  kContinuousBackwardData,
  kContinuousBackwardWeights,
  kAtrousChain,
  kContinuousBackwardGrid,
  kContinuousBackwardKernel,
  kContinuousChain,
  kCntkBackwardData,
  kCntkBackwardWeights
};
inline constexpr auto kOperations = [] {
  std::array<Operation, std::variant_size_v<Attributes>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Operation>(i);
  return all;
}();
/// The operation's name as problem lines spell it, such as "Convolution1" or "CntkConvolution2d".
std::string_view to_string(Operation operation);
/// The operation's attributes with the defaults of its document.
Attributes default_attributes(Operation operation);

/// The input tensors, in the order in which problem lines and the plugin ABI have them.
enum class Input { kSrc, kWeights, kBias, kDiffDst };
template <>
inline constexpr std::array kWords<Input> = std::to_array<std::string_view>({"src", "weights",
                                                                             "bias", "diff_dst"});
inline constexpr std::array kInputs{Input::kSrc, Input::kWeights, Input::kBias, Input::kDiffDst};

/// True for Convolution1, Convolution and AtrousConv2d, whose geometry is that of one formula.
bool is_discrete(Operation operation);
/// True for CNTK's operations, whose src and diff_dst have their first axis fastest.
bool is_column_major(Operation operation);
/// True for those of them whose dst has, too: all but the gradient by the weights.
bool is_dst_column_major(Operation operation);
/// True of an input that has its first axis fastest.
bool is_column_major(Operation operation, Input input);
/// True for the continuous layer, its gradients and a chain of layers.
bool is_continuous(Operation operation);
bool has_weights(Operation operation);
/// True where a problem line may have a bias. AtrousConv2d must refuse it.
bool has_bias(Operation operation);
bool has_diff_dst(Operation operation);

}  // namespace concord

#endif  // CONCORD_SPEC_ATTRIBUTES_H_
