// SPDX-License-Identifier: Apache-2.0
// Convolutions of the sizes at which implementations change what they do: channels and rows below,
// at and above a vector and a few of them, with what decides whether memory can be read as vectors,
// in every dtype. attribute_model() has all attributes, and smaller tensors.
#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/catalog/attribute_numbers.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

enum Index {
  kDtype,
  kAxes,
  kDataFormat,
  kWeightsFormat,
  kKernelDepth,
  kKernel,  ///< height by width
  kStrideDepth,
  kStride,
  kDilation,
  kPadding,
  kGroups,
  kIC,  ///< of a group; of the whole for depthwise
  kOC,  ///< of a group; the multiplier for depthwise
  kBatch,
  kDepth,  ///< outputs along it, at least
  kHeight,
  kWidth,
  kBias,
  kMemory
};
enum AxesLevel { kThreeAxes = 2 };
enum PaddingLevel { kNoPadding, kSameUpper, kSameLower, kUneven, kBeyond };
enum GroupsLevel { kOneGroup, kTwoGroups, kDepthwise };

// So that a case takes about a millisecond.
constexpr Extent kMostProducts = 400'000;

struct HeightWidth {
  Extent height, width;
};
constexpr HeightWidth kKernels[] = {{1, 1}, {1, 5}, {3, 3}, {5, 1}, {2, 3}, {7, 7}};
constexpr HeightWidth kStrides[] = {{1, 1}, {1, 2}, {2, 2}, {2, 1}, {3, 3}};
constexpr Extent kICs[] = {1, 3, 4, 8, 13, 16, 17, 40};
constexpr Extent kOCs[] = {1, 2, 3, 8, 15, 16, 24, 33, 48, 64};
constexpr Extent kHeights[] = {1, 2, 3, 7, 16};
constexpr Extent kWidths[] = {1, 2, 5, 7, 8, 15, 16, 17, 31, 48};

std::vector<Factor> factors() {
  return {{"dtype", form::words<Dtype>()},
          {"axes", {"1", "2", "3"}},
          {"data_format", form::words<DataFormat>()},
          {"weights_format", form::words<WeightsFormat>()},
          {"kernel_depth", {"1", "2", "3"}},
          {"kernel", {"1x1", "1x5", "3x3", "5x1", "2x3", "7x7"}},
          {"stride_depth", {"1", "2"}},
          {"stride", {"1x1", "1x2", "2x2", "2x1", "3x3"}},
          {"dilation", {"1", "2"}},
          {"padding", {"none", "same_upper", "same_lower", "uneven", "beyond_both"}},
          {"groups", {"one", "two", "depthwise"}},
          {"in_channels", {"1", "3", "4", "8", "13", "16", "17", "40"}},
          {"out_channels", {"1", "2", "3", "8", "15", "16", "24", "33", "48", "64"}},
          {"batch", {"1", "2", "3"}},
          {"outputs_depth", {"1", "2", "3"}},
          {"outputs_height", {"1", "2", "3", "7", "16"}},
          {"outputs_width", {"1", "2", "5", "7", "8", "15", "16", "17", "31", "48"}},
          {"bias", {"no", "yes"}},
          {"memory", form::kMemoryLevels}};
}

// A depthwise convolution has as many groups as input channels.
Shape channels_of(const Row& row) {
  Shape shape;
  shape.N = row[kBatch] + 1;
  shape.ICG = kICs[row[kIC]];
  shape.OCG = kOCs[row[kOC]];
  if (row[kGroups] == kTwoGroups) shape.G = 2;
  if (row[kGroups] == kDepthwise) std::swap(shape.G, shape.ICG);
  return shape;
}

AttributeNumbers numbers_of_row(const Row& row) {
  const HeightWidth kernel = kKernels[row[kKernel]], stride = kStrides[row[kStride]];
  AttributeNumbers n;
  n.K = {row[kKernelDepth] + 1, kernel.height, kernel.width};
  n.S = {row[kStrideDepth] + 1, stride.height, stride.width};
  n.D.assign(n.K.size(), row[kDilation] + 1);
  n.P_begin.assign(n.K.size(), row[kPadding] == kUneven ? 2 : 0);
  n.P_end.assign(n.K.size(), row[kPadding] == kUneven ? 1 : 0);
  if (row[kPadding] == kBeyond) {  // along the last axis, windows at both ends see nothing else
    n.P_begin.back() = n.dilated_kernel(n.K.size() - 1) + 1;
    n.P_end.back() = n.P_begin.back() - 1;
  }
  if (row[kPadding] == kSameUpper) n.auto_pad = AutoPad::kSameUpper;
  if (row[kPadding] == kSameLower) n.auto_pad = AutoPad::kSameLower;
  const auto absent = static_cast<std::ptrdiff_t>(kThreeAxes - row[kAxes]);
  for (Extents* each : {&n.K, &n.S, &n.D, &n.P_begin, &n.P_end}) {
    each->erase(each->begin(), each->begin() + absent);
  }
  return n;
}

// The row with what is open as cheap as can be.
Row at_its_cheapest(Row row) {
  for (const Index stride : {kStrideDepth, kStride}) {  // the longest one makes the fewest outputs
    if (row[stride] == kOpen) row[stride] = stride == kStride ? std::ssize(kStrides) - 1 : 1;
  }
  for (int& level : row) level = std::max(level, 0);
  row[kAxes] = kThreeAxes;
  return row;
}

Extent products_of(const Row& row) {
  const AttributeNumbers n = numbers_of_row(row);
  const Extent wanted[] = {row[kDepth] + 1, kHeights[row[kHeight]], kWidths[row[kWidth]]};
  const Shape s = channels_of(row);
  Extent products = s.N * s.G * s.OCG * s.ICG;
  for (std::size_t a = 0; a < n.axes(); ++a) {
    // Of an input of one element.
    const Extent beyond_first = n.P_begin[a] + n.P_end[a] + 1 - n.dilated_kernel(a);
    products *= n.K[a] * std::max(wanted[a], std::max<Extent>(beyond_first, 0) / n.S[a] + 1);
  }
  return products;
}

// Where padding makes more outputs than are asked for, a longer dilation makes fewer.
Extent least_products(const Row& part) {
  Row row = at_its_cheapest(part);
  Extent least = products_of(row);
  if (part[kDilation] == kOpen) {
    row[kDilation] = 1;
    least = std::min(least, products_of(row));
  }
  return least;
}

// Axes that do not exist have the first level of everything, an extent of one.
bool lacks_axes(const Row& row, int axes) {
  const auto is_one = [&](Index factor, const HeightWidth* levels) {
    return row[factor] == kOpen || levels[row[factor]].height == 1;
  };
  if (axes < 3) {
    for (const Index factor : {kKernelDepth, kStrideDepth, kDepth}) {
      if (!form::may_be(row[factor], 0)) return false;
    }
  }
  return axes > 1 ||
         (is_one(kKernel, kKernels) && is_one(kStride, kStrides) && form::may_be(row[kHeight], 0));
}

bool is_allowed(const Row& row) {
  constexpr int kMultipliers = 3;
  if (row[kGroups] == kDepthwise && row[kOC] >= kMultipliers) return false;
  const int axes = row[kAxes] == kOpen ? 3 : row[kAxes] + 1;
  return lacks_axes(row, axes) && least_products(row) <= kMostProducts;
}

Problem problem_for(const Row& row) {
  const AttributeNumbers n = numbers_of_row(row);
  ConvolutionAttributes attributes;
  set_numbers(n, attributes);
  attributes.data_format = static_cast<DataFormat>(row[kDataFormat]);
  attributes.weights_format = static_cast<WeightsFormat>(row[kWeightsFormat]);
  const Extent outputs[] = {row[kDepth] + 1, kHeights[row[kHeight]], kWidths[row[kWidth]]};
  Shape shape = channels_of(row);
  shape.K = n.K;
  for (std::size_t a = 0; a < n.axes(); ++a) {
    shape.I.push_back(least_input(n, a, outputs[std::size(outputs) - n.axes() + a]));
  }
  Problem problem;
  problem.dtype = kDtypes[static_cast<std::size_t>(row[kDtype])];
  problem.attributes = attributes;
  form::set_tensors(shape, row[kBias] == 1, row[kMemory], problem);
  return problem;
}

}  // namespace

FormModel sizes_model() {
  FormModel made = form::model("sizes", factors(), problem_for, is_allowed);
  made.is_late = true;
  made.has_triples_in_smoke = true;
  return made;
}

}  // namespace concord::conformance
