// SPDX-License-Identifier: Apache-2.0
// Convolutions of the sizes at which implementations change what they do: channels and rows below,
// at and above a vector and a few of them, with what decides whether memory can be read as vectors.
// attribute_model() has all attributes, and smaller tensors.
#include <algorithm>
#include <utility>

#include "conformance/catalog/attribute_numbers.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

enum Index {
  kDtype,
  kDataFormat,
  kWeightsFormat,
  kKernel,
  kStride,
  kDilation,
  kAutoPad,
  kGroups,
  kIC,
  kOC,
  kBatch,
  kHeight,
  kWidth,
  kBias,
  kMemory
};
enum GroupsLevel { kOne, kTwo, kDepthwise };

// So that a case takes about a millisecond.
constexpr Extent kMostProducts = 400'000;

struct Pair {
  Extent height, width;
};
constexpr Pair kKernels[] = {{1, 1}, {3, 3}, {1, 5}, {5, 1}, {2, 3}, {7, 7}};
constexpr Pair kStrides[] = {{1, 1}, {2, 2}, {1, 2}, {2, 1}, {3, 3}};
constexpr Extent kICs[] = {1, 3, 4, 8, 13, 16, 17, 40};
constexpr Extent kOCs[] = {1, 2, 3, 8, 15, 16, 24, 33, 64};
constexpr Extent kHeights[] = {1, 2, 3, 7, 16};
constexpr Extent kWidths[] = {1, 2, 5, 7, 8, 15, 16, 17, 31, 48};

std::vector<Factor> factors() {
  return {{"dtype", form::dtype_levels()},
          {"data_format", form::words<DataFormat>()},
          {"weights_format", form::words<WeightsFormat>()},
          {"kernel", {"1x1", "3x3", "1x5", "5x1", "2x3", "7x7"}},
          {"stride", {"1x1", "2x2", "1x2", "2x1", "3x3"}},
          {"dilation", {"1", "2"}},
          {"auto_pad", {"none", "same_upper", "same_lower"}},
          {"groups", {"one", "two", "depthwise"}},
          {"in_channels", {"1", "3", "4", "8", "13", "16", "17", "40"}},
          {"out_channels", {"1", "2", "3", "8", "15", "16", "24", "33", "64"}},
          {"batch", {"1", "2", "3"}},
          {"outputs_height", {"1", "2", "3", "7", "16"}},
          {"outputs_width", {"1", "2", "5", "7", "8", "15", "16", "17", "31", "48"}},
          {"bias", {"no", "yes"}},
          {"memory", form::kMemoryLevels}};
}

// Those of a group; a depthwise convolution has as many groups as input channels.
Shape channels_of(const Row& row) {
  Shape shape;
  shape.N = row[kBatch] + 1;
  shape.ICG = kICs[row[kIC]];
  shape.OCG = kOCs[row[kOC]];
  if (row[kGroups] == kTwo) shape.G = 2;
  if (row[kGroups] == kDepthwise) std::swap(shape.G, shape.ICG);
  return shape;
}

Extent products_of(const Row& row) {
  const Shape s = channels_of(row);
  const Pair kernel = kKernels[row[kKernel]];
  return s.N * s.G * s.OCG * s.ICG * kernel.height * kernel.width * kHeights[row[kHeight]] *
         kWidths[row[kWidth]];
}

// Multipliers are small. What is open is least at its first level.
bool is_allowed(const Row& row) {
  constexpr int kMultipliers = 3;
  if (row[kGroups] == kDepthwise && row[kOC] >= kMultipliers) return false;
  Row least = row;
  for (int& level : least) level = std::max(level, 0);
  return products_of(least) <= kMostProducts;
}

Problem problem_for(const Row& row) {
  AttributeNumbers n;
  const Pair kernel = kKernels[row[kKernel]], stride = kStrides[row[kStride]];
  const Extent dilation = row[kDilation] + 1;
  n.K = {kernel.height, kernel.width};
  n.S = {stride.height, stride.width};
  n.D = {dilation, dilation};
  n.P_begin = {0, 0};
  n.P_end = {0, 0};
  constexpr AutoPad kAutoPads[] = {AutoPad::kNone, AutoPad::kSameUpper, AutoPad::kSameLower};
  n.auto_pad = kAutoPads[row[kAutoPad]];
  Shape shape = channels_of(row);
  shape.K = n.K;
  shape.I = {least_input(n, 0, kHeights[row[kHeight]]), least_input(n, 1, kWidths[row[kWidth]])};
  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  ConvolutionAttributes attributes;
  set_numbers(n, attributes);
  attributes.data_format = static_cast<DataFormat>(row[kDataFormat]);
  attributes.weights_format = static_cast<WeightsFormat>(row[kWeightsFormat]);
  problem.attributes = attributes;
  if (row[kBias] == 1) problem.bias.emplace();
  set_shape(problem, shape);
  form::set_memory(row[kMemory], problem);
  return problem;
}

}  // namespace

FormModel sizes_model() {
  FormModel made = form::model("sizes", factors(), problem_for, is_allowed);
  made.is_late = true;
  return made;
}

}  // namespace concord::conformance
