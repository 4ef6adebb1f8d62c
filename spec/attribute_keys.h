// SPDX-License-Identifier: Apache-2.0
// The keys of a problem line's attributes: one table an operation, each key once with its default.
// print() and parse() both walk it, so that neither can know a key that the other does not.
#ifndef CONCORD_SPEC_ATTRIBUTE_KEYS_H_
#define CONCORD_SPEC_ATTRIBUTE_KEYS_H_

#include <array>
#include <optional>
#include <type_traits>

#include "spec/problem.h"

namespace concord {

inline constexpr std::array kAutoPads = {AutoPad::kNone, AutoPad::kSameUpper, AutoPad::kSameLower,
                                         AutoPad::kValid};
inline constexpr std::array kDataFormats = {DataFormat::kNXC, DataFormat::kNCX};
inline constexpr std::array kWeightsFormats = {WeightsFormat::kXIO, WeightsFormat::kOIX};
inline constexpr std::array kCntkLayouts = {CntkLayout::kCudnn, CntkLayout::kHwc};
inline constexpr std::array kTies = {Ties::kHalfOpen, Ties::kOpen, Ties::kClosed};
inline constexpr std::array kBoundaries = {Boundary::kZero, Boundary::kReplicate,
                                           Boundary::kReflect, Boundary::kSymmetric};
inline constexpr std::array kKernelFunctions = {KernelFunction::kNet, KernelFunction::kNetK,
                                                KernelFunction::kKeys};

/// How many spatial axes src has, whatever its format: what the lists of a discrete convolution
/// have one element for.
inline std::size_t spatial_rank(const Problem& problem) {
  return problem.src.rank() < 2 ? 0 : problem.src.rank() - 2;
}

/// Shows a walker the attributes of one operation after another. A Walker has
///   list, flags (key, Extents&, default), number, flag (key, Extent&, default),
///   rational (key, Rational&, default), scales (key, Rational& h, Rational& w),
///   literal (key, Enum&, all literals, default or none), padding (key, AtrousConv2dAttributes&)
template <class Walker>
class WalkAttributes {
 public:
  WalkAttributes(Walker& walker, std::size_t rank) : walker_(walker), rank_(rank) {}

  template <class A>
  void operator()(A& a) const {
    using Kind = std::remove_const_t<A>;
    if constexpr (std::is_base_of_v<SpatialAttributes, Kind>) walk_spatial(a);
    if constexpr (std::is_base_of_v<ContinuousAttributes, Kind>) walk_continuous(a);
    if constexpr (std::is_same_v<Kind, Convolution1Attributes>) {
      walker_.literal("filter_format", a.filter_format, kWeightsFormats, {});
    } else if constexpr (std::is_same_v<Kind, ConvolutionAttributes>) {
      walker_.literal("weights_format", a.weights_format, kWeightsFormats, {});
    } else if constexpr (std::is_same_v<Kind, AtrousConv2dAttributes>) {
      walker_.number("rate", a.rate, 1);
      walker_.padding("padding", a);
    } else if constexpr (std::is_same_v<Kind, SpaceToBatchAttributes>) {
      walker_.number("block_size", a.block_size, 1);
      walker_.list("paddings", a.paddings, {0, 0, 0, 0});
    } else if constexpr (std::is_same_v<Kind, BatchToSpaceAttributes>) {
      walker_.number("block_size", a.block_size, 1);
      walker_.list("crops", a.crops, {0, 0, 0, 0});
    } else if constexpr (std::is_same_v<Kind, CntkConvolutionAttributes>) {
      walk_cntk(a);
    } else if constexpr (std::is_same_v<Kind, CntkConvolution2dAttributes>) {
      walk_cntk_2d(a);
    }
  }

 private:
  template <class A>
  void walk_spatial(A& a) const {
    walker_.list("strides", a.strides, Extents(rank_, 1));
    walker_.list("pads_begin", a.pads_begin, Extents(rank_, 0));
    walker_.list("pads_end", a.pads_end, Extents(rank_, 0));
    walker_.list("dilations", a.dilations, Extents(rank_, 1));
    walker_.literal("auto_pad", a.auto_pad, kAutoPads, std::optional(AutoPad::kNone));
    walker_.number("groups", a.groups, 1);
    walker_.literal("data_format", a.data_format, kDataFormats, {});
  }

  template <class A>
  void walk_cntk(A& a) const {
    walker_.list("kernel", a.kernel, {});
    walker_.list("mapCount", a.map_count, {0});
    walker_.list("stride", a.stride, {1});
    walker_.flags("sharing", a.sharing, {1});
    walker_.flags("autoPadding", a.auto_padding, {1});
    walker_.list("lowerPad", a.lower_pad, {0});
    walker_.list("upperPad", a.upper_pad, {0});
    walker_.number("maxTempMemSizeInSamples", a.max_temp_mem_size_in_samples, 0);
  }

  template <class A>
  void walk_cntk_2d(A& a) const {
    walker_.number("kernelWidth", a.kernel_width, 1);
    walker_.number("kernelHeight", a.kernel_height, 1);
    walker_.number("mapCount", a.map_count, 0);
    walker_.number("horizontalStride", a.horizontal_stride, 1);
    walker_.number("verticalStride", a.vertical_stride, 1);
    walker_.flag("zeroPadding", a.zero_padding, 0);
    walker_.number("maxTempMemSizeInSamples", a.max_temp_mem_size_in_samples, 0);
    walker_.literal("imageLayout", a.image_layout, kCntkLayouts, std::optional(CntkLayout::kCudnn));
  }

  template <class A>
  void walk_continuous(A& a) const {
    walker_.scales("scale", a.scale_h, a.scale_w);
    walker_.list("size", a.size, {});
    walker_.list("kernel", a.kernel, {3, 3});
    walker_.number("channels", a.channels, 1);
    walker_.literal("function", a.function, kKernelFunctions, std::optional(KernelFunction::kNet));
    walker_.list("widths", a.widths, {16, 16});
    walker_.rational("slope", a.slope, Rational(1, 100));
    walker_.literal("ties", a.ties, kTies, std::optional(Ties::kHalfOpen));
    walker_.literal("boundary", a.boundary, kBoundaries, std::optional(Boundary::kZero));
  }

  Walker& walker_;
  std::size_t rank_;
};

}  // namespace concord

#endif  // CONCORD_SPEC_ATTRIBUTE_KEYS_H_
