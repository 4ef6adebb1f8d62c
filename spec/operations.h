// SPDX-License-Identifier: Apache-2.0
// The table of operations: one row each, with the name, the number and struct of the plugin ABI,
// the operands and the attributes. Problem text, both directions of the C structs, the exec
// protocol's JSON, the programs of `concord shrink` and the table in docs/spec.md are derived from
// it.
#ifndef CONCORD_SPEC_OPERATIONS_H_
#define CONCORD_SPEC_OPERATIONS_H_

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "plugin/concord_plugin.h"
#include "spec/attribute.h"

namespace concord {

/// Operations whose tensors and geometry are alike.
enum class Family { kDiscrete, kBlocks, kCntk, kContinuous };

/// An input; its place among the operands is its place among the inputs of the plugin ABI.
struct Operand {
  Input input;
  bool is_optional = false;
};
using Operands = std::span<const Operand>;

/// What is said of an operation apart from its attributes.
struct OperationFacts {
  std::string_view name;  ///< in problem lines
  concord_operation code;
  std::string_view type;  ///< the C struct of the attributes
  Family family;
  Operands operands;
};

/// `A`: the struct of spec/attributes.h; `C`: that of the plugin ABI; `List`: a tuple of Attribute,
/// RationalPair and PaddingText, in the order of problem lines.
template <class A, class C, class List>
struct OperationRow {
  using Ours = A;
  using Struct = C;
  OperationFacts facts;
  List attributes;
};

namespace table {

// A member of a struct of ours and the field of a C struct that holds the same.
#define CONCORD_ATTRIBUTE(key, ours, type, field) \
  ::concord::Attribute(key, &ours, &type::field, #field)

inline constexpr Operand kConvolved[] = {{Input::kSrc}, {Input::kWeights}, {Input::kBias, true}};
inline constexpr Operand kRearranged[] = {{Input::kSrc}};
inline constexpr Operand kWeighted[] = {{Input::kSrc}, {Input::kWeights}};
inline constexpr Operand kGradient[] = {{Input::kSrc}, {Input::kWeights}, {Input::kDiffDst}};

inline constexpr std::tuple kSpatial{
    CONCORD_ATTRIBUTE("strides", SpatialAttributes::strides, concord_convolution, strides)
        .each_axis(1)
        .at_least(1),
    CONCORD_ATTRIBUTE("pads_begin", SpatialAttributes::pads_begin, concord_convolution, pads_begin)
        .each_axis(0)
        .at_least(0),
    CONCORD_ATTRIBUTE("pads_end", SpatialAttributes::pads_end, concord_convolution, pads_end)
        .each_axis(0)
        .at_least(0),
    CONCORD_ATTRIBUTE("dilations", SpatialAttributes::dilations, concord_convolution, dilations)
        .each_axis(1)
        .at_least(1),
    CONCORD_ATTRIBUTE("auto_pad", SpatialAttributes::auto_pad, concord_convolution, auto_pad),
    CONCORD_ATTRIBUTE("groups", SpatialAttributes::groups, concord_convolution, groups).at_least(1),
    CONCORD_ATTRIBUTE("data_format", SpatialAttributes::data_format, concord_convolution,
                      data_format)
        .always_printed()};

inline constexpr std::tuple kConvolution1 = std::tuple_cat(
    kSpatial, std::tuple{CONCORD_ATTRIBUTE("filter_format", Convolution1Attributes::filter_format,
                                           concord_convolution, weights_format)
                             .always_printed()
                             .protocol_key("weights_format")});

inline constexpr std::tuple kConvolution = std::tuple_cat(
    kSpatial, std::tuple{CONCORD_ATTRIBUTE("weights_format", ConvolutionAttributes::weights_format,
                                           concord_convolution, weights_format)
                             .always_printed()});

inline constexpr std::tuple kAtrousConv2d{
    CONCORD_ATTRIBUTE("rate", AtrousConv2dAttributes::rate, concord_atrous_conv2d, rate)
        .at_least(1),
    PaddingText<AtrousConv2dAttributes, concord_atrous_conv2d>{
        "padding", &AtrousConv2dAttributes::padding, &AtrousConv2dAttributes::other_padding,
        &concord_atrous_conv2d::same, "same"}};

inline constexpr std::tuple kSpaceToBatch{
    CONCORD_ATTRIBUTE("block_size", SpaceToBatchAttributes::block_size, concord_blocks, block_size)
        .at_least(1),
    CONCORD_ATTRIBUTE("paddings", SpaceToBatchAttributes::paddings, concord_blocks, edges)
        .at_least(0)};

inline constexpr std::tuple kBatchToSpace{
    CONCORD_ATTRIBUTE("block_size", BatchToSpaceAttributes::block_size, concord_blocks, block_size)
        .at_least(1),
    CONCORD_ATTRIBUTE("crops", BatchToSpaceAttributes::crops, concord_blocks, edges).at_least(0)};

inline constexpr std::tuple kAtrousChain{
    CONCORD_ATTRIBUTE("rate", AtrousChainAttributes::rate, concord_atrous_chain, rate).at_least(1)};

using Nd = CntkConvolutionAttributes;
inline constexpr std::tuple kCntk{
    CONCORD_ATTRIBUTE("kernel", Nd::kernel, concord_cntk_convolution, kernel).at_least(1),
    CONCORD_ATTRIBUTE("mapCount", Nd::map_count, concord_cntk_convolution, map_count).at_least(0),
    CONCORD_ATTRIBUTE("stride", Nd::stride, concord_cntk_convolution, stride).at_least(1),
    CONCORD_ATTRIBUTE("sharing", Nd::sharing, concord_cntk_convolution, sharing).flag(),
    CONCORD_ATTRIBUTE("autoPadding", Nd::auto_padding, concord_cntk_convolution, auto_padding)
        .flag(),
    CONCORD_ATTRIBUTE("lowerPad", Nd::lower_pad, concord_cntk_convolution, lower_pad).at_least(0),
    CONCORD_ATTRIBUTE("upperPad", Nd::upper_pad, concord_cntk_convolution, upper_pad).at_least(0),
    CONCORD_ATTRIBUTE("maxTempMemSizeInSamples", Nd::max_temp_mem_size_in_samples,
                      concord_cntk_convolution, max_temp_mem_size_in_samples)
        .at_least(0),
    CONCORD_ATTRIBUTE("imageLayout", Nd::image_layout, concord_cntk_convolution, image_layout)};

using TwoD = CntkConvolution2dAttributes;
inline constexpr std::tuple kCntk2d{
    CONCORD_ATTRIBUTE("kernelWidth", TwoD::kernel_width, concord_cntk_convolution_2d, kernel_width)
        .at_least(1),
    CONCORD_ATTRIBUTE("kernelHeight", TwoD::kernel_height, concord_cntk_convolution_2d,
                      kernel_height)
        .at_least(1),
    CONCORD_ATTRIBUTE("mapCount", TwoD::map_count, concord_cntk_convolution_2d, map_count)
        .at_least(0),
    CONCORD_ATTRIBUTE("horizontalStride", TwoD::horizontal_stride, concord_cntk_convolution_2d,
                      horizontal_stride)
        .at_least(1),
    CONCORD_ATTRIBUTE("verticalStride", TwoD::vertical_stride, concord_cntk_convolution_2d,
                      vertical_stride)
        .at_least(1),
    CONCORD_ATTRIBUTE("zeroPadding", TwoD::zero_padding, concord_cntk_convolution_2d, zero_padding)
        .flag(),
    CONCORD_ATTRIBUTE("maxTempMemSizeInSamples", TwoD::max_temp_mem_size_in_samples,
                      concord_cntk_convolution_2d, max_temp_mem_size_in_samples)
        .at_least(0),
    CONCORD_ATTRIBUTE("imageLayout", TwoD::image_layout, concord_cntk_convolution_2d,
                      image_layout)};

using Layer = ContinuousAttributes;
inline constexpr std::tuple kLayer{
    RationalPair<Layer, concord_continuous>{"scale", &Layer::scale_h, &Layer::scale_w,
                                            &concord_continuous::scale_h,
                                            &concord_continuous::scale_w, "scale_h", "scale_w"},
    CONCORD_ATTRIBUTE("size", Layer::size, concord_continuous, size).at_least(1),
    CONCORD_ATTRIBUTE("kernel", Layer::kernel, concord_continuous, kernel).at_least(1),
    CONCORD_ATTRIBUTE("channels", Layer::channels, concord_continuous, channels).at_least(1),
    CONCORD_ATTRIBUTE("function", Layer::function, concord_continuous, kernel_function),
    CONCORD_ATTRIBUTE("widths", Layer::widths, concord_continuous, widths).at_least(1),
    CONCORD_ATTRIBUTE("slope", Layer::slope, concord_continuous, slope),
    CONCORD_ATTRIBUTE("ties", Layer::ties, concord_continuous, ties),
    CONCORD_ATTRIBUTE("boundary", Layer::boundary, concord_continuous, boundary)};

using Chain = ContinuousChainAttributes;
inline constexpr std::tuple kContinuousChain{
    CONCORD_ATTRIBUTE("scales_h", Chain::scales_h, concord_continuous_chain, scales_h),
    CONCORD_ATTRIBUTE("scales_w", Chain::scales_w, concord_continuous_chain, scales_w),
    CONCORD_ATTRIBUTE("kernel", Chain::kernel, concord_continuous_chain, kernel).at_least(1),
    CONCORD_ATTRIBUTE("function", Chain::function, concord_continuous_chain, kernel_function),
    CONCORD_ATTRIBUTE("widths", Chain::widths, concord_continuous_chain, widths).at_least(1),
    CONCORD_ATTRIBUTE("slope", Chain::slope, concord_continuous_chain, slope),
    CONCORD_ATTRIBUTE("ties", Chain::ties, concord_continuous_chain, ties),
    CONCORD_ATTRIBUTE("boundary", Chain::boundary, concord_continuous_chain, boundary)};

#undef CONCORD_ATTRIBUTE

// `name` in problem lines, its struct of spec/attributes.h, its number and struct of the plugin
// ABI.
#define CONCORD_OPERATION(name, ours, number, type, family, operands, attributes) \
  ::concord::OperationRow<ours, type, decltype(attributes)> {                     \
    {name, number, #type, family, operands}, attributes                           \
  }

}  // namespace table

/// In the order of the alternatives of Attributes.
inline constexpr std::tuple kOperationTable{
    CONCORD_OPERATION("Convolution1", Convolution1Attributes, CONCORD_CONVOLUTION_1,
                      concord_convolution, Family::kDiscrete, table::kConvolved,
                      table::kConvolution1),
    CONCORD_OPERATION("Convolution", ConvolutionAttributes, CONCORD_CONVOLUTION,
                      concord_convolution, Family::kDiscrete, table::kConvolved,
                      table::kConvolution),
    CONCORD_OPERATION("AtrousConv2d", AtrousConv2dAttributes, CONCORD_ATROUS_CONV2D,
                      concord_atrous_conv2d, Family::kDiscrete, table::kConvolved,
                      table::kAtrousConv2d),
    CONCORD_OPERATION("SpaceToBatch", SpaceToBatchAttributes, CONCORD_SPACE_TO_BATCH,
                      concord_blocks, Family::kBlocks, table::kRearranged, table::kSpaceToBatch),
    CONCORD_OPERATION("BatchToSpace", BatchToSpaceAttributes, CONCORD_BATCH_TO_SPACE,
                      concord_blocks, Family::kBlocks, table::kRearranged, table::kBatchToSpace),
    CONCORD_OPERATION("CntkConvolution", CntkConvolutionAttributes, CONCORD_CNTK_CONVOLUTION,
                      concord_cntk_convolution, Family::kCntk, table::kWeighted, table::kCntk),
    CONCORD_OPERATION("CntkConvolution2d", CntkConvolution2dAttributes, CONCORD_CNTK_CONVOLUTION_2D,
                      concord_cntk_convolution_2d, Family::kCntk, table::kWeighted, table::kCntk2d),
    CONCORD_OPERATION("ContinuousConvolution", ContinuousAttributes, CONCORD_CONTINUOUS_CONVOLUTION,
                      concord_continuous, Family::kContinuous, table::kWeighted, table::kLayer),
    CONCORD_OPERATION("ContinuousBackwardData", ContinuousBackwardDataAttributes,
                      CONCORD_CONTINUOUS_BACKWARD_DATA, concord_continuous, Family::kContinuous,
                      table::kGradient, table::kLayer),
    CONCORD_OPERATION("ContinuousBackwardWeights", ContinuousBackwardWeightsAttributes,
                      CONCORD_CONTINUOUS_BACKWARD_WEIGHTS, concord_continuous, Family::kContinuous,
                      table::kGradient, table::kLayer),
    CONCORD_OPERATION("AtrousChain", AtrousChainAttributes, CONCORD_ATROUS_CHAIN,
                      concord_atrous_chain, Family::kBlocks, table::kWeighted, table::kAtrousChain),
    CONCORD_OPERATION("ContinuousBackwardGrid", ContinuousBackwardGridAttributes,
                      CONCORD_CONTINUOUS_BACKWARD_GRID, concord_continuous, Family::kContinuous,
                      table::kGradient, table::kLayer),
    CONCORD_OPERATION("ContinuousBackwardKernel", ContinuousBackwardKernelAttributes,
                      CONCORD_CONTINUOUS_BACKWARD_KERNEL, concord_continuous, Family::kContinuous,
                      table::kGradient, table::kLayer),
    CONCORD_OPERATION("ContinuousChain", ContinuousChainAttributes, CONCORD_CONTINUOUS_CHAIN,
                      concord_continuous_chain, Family::kContinuous, table::kWeighted,
                      table::kContinuousChain),
    CONCORD_OPERATION("CntkBackwardData", CntkBackwardDataAttributes, CONCORD_CNTK_BACKWARD_DATA,
                      concord_cntk_convolution, Family::kCntk, table::kGradient, table::kCntk),
    CONCORD_OPERATION("CntkBackwardWeights", CntkBackwardWeightsAttributes,
                      CONCORD_CNTK_BACKWARD_WEIGHTS, concord_cntk_convolution, Family::kCntk,
                      table::kGradient, table::kCntk)};

#undef CONCORD_OPERATION

namespace table {

template <class A, class... All>
constexpr std::size_t place_in(const std::variant<All...>*) {
  const std::array<bool, sizeof...(All)> is_it{std::is_same_v<A, All>...};
  return static_cast<std::size_t>(std::find(is_it.begin(), is_it.end(), true) - is_it.begin());
}

template <std::size_t... i>
constexpr bool is_in_order(std::index_sequence<i...>) {
  return (std::is_same_v<std::variant_alternative_t<i, Attributes>,
                         typename std::tuple_element_t<i, decltype(kOperationTable)>::Ours> &&
          ...);
}
static_assert(is_in_order(std::make_index_sequence<std::variant_size_v<Attributes>>()));

/// The C structs of some rows, each once, as the alternatives of a variant.
template <class Rows, class... Structs>
struct EachStruct;
template <class Row, class... Rows, class... Structs>
struct EachStruct<const std::tuple<Row, Rows...>, Structs...>
    : std::conditional_t<(std::is_same_v<typename Row::Struct, Structs> || ...),
                         EachStruct<const std::tuple<Rows...>, Structs...>,
                         EachStruct<const std::tuple<Rows...>, Structs..., typename Row::Struct>> {
};
template <class... Structs>
struct EachStruct<const std::tuple<>, Structs...> {
  using Variant = std::variant<Structs...>;
};

}  // namespace table

/// The row of the operation whose attributes are an `A`.
template <class A>
inline constexpr const auto& kRowOf =
    std::get<table::place_in<A>(static_cast<const Attributes*>(nullptr))>(kOperationTable);

const OperationFacts& facts_of(Operation operation);

}  // namespace concord

#endif  // CONCORD_SPEC_OPERATIONS_H_
