// SPDX-License-Identifier: Apache-2.0
#include "spec/problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "spec/check.h"

namespace concord {

std::string_view to_string(AutoPad auto_pad) {
  switch (auto_pad) {
    case AutoPad::kNone:
      return "none";
    case AutoPad::kSameUpper:
      return "same_upper";
    case AutoPad::kSameLower:
      return "same_lower";
    case AutoPad::kValid:
      return "valid";
  }
  CONCORD_CHECK(false) << "auto_pad " << static_cast<int>(auto_pad);
  return {};
}

std::string_view to_string(TfPadding padding) {
  if (padding == TfPadding::kOther) return "other";
  return padding == TfPadding::kSame ? "SAME" : "VALID";
}

std::string_view to_string(CntkLayout layout) {
  return layout == CntkLayout::kCudnn ? "cudnn" : "HWC";
}

std::string_view to_string(Ties ties) {
  switch (ties) {
    case Ties::kHalfOpen:
      return "half_open";
    case Ties::kOpen:
      return "open";
    case Ties::kClosed:
      return "closed";
  }
  CONCORD_CHECK(false) << "ties " << static_cast<int>(ties);
  return {};
}

std::string_view to_string(Boundary boundary) {
  switch (boundary) {
    case Boundary::kZero:
      return "zero";
    case Boundary::kReplicate:
      return "replicate";
    case Boundary::kReflect:
      return "reflect";
    case Boundary::kSymmetric:
      return "symmetric";
  }
  CONCORD_CHECK(false) << "boundary " << static_cast<int>(boundary);
  return {};
}

std::string_view to_string(KernelFunction function) {
  switch (function) {
    case KernelFunction::kNet:
      return "net";
    case KernelFunction::kNetK:
      return "net_k";
    case KernelFunction::kKeys:
      return "keys";
  }
  CONCORD_CHECK(false) << "function " << static_cast<int>(function);
  return {};
}

std::string_view to_string(Operation operation) {
  switch (operation) {
    case Operation::kConvolution1:
      return "Convolution1";
    case Operation::kConvolution:
      return "Convolution";
    case Operation::kAtrousConv2d:
      return "AtrousConv2d";
    case Operation::kSpaceToBatch:
      return "SpaceToBatch";
    case Operation::kBatchToSpace:
      return "BatchToSpace";
    case Operation::kCntkConvolution:
      return "CntkConvolution";
    case Operation::kCntkConvolution2d:
      return "CntkConvolution2d";
    case Operation::kContinuousConvolution:
      return "ContinuousConvolution";
    case Operation::kContinuousBackwardData:
      return "ContinuousBackwardData";
    case Operation::kContinuousBackwardWeights:
      return "ContinuousBackwardWeights";
  }
  CONCORD_CHECK(false) << "operation " << static_cast<int>(operation);
  return {};
}

std::string_view to_string(Reading reading) {
  return reading == Reading::kImplemented ? "implemented" : "documented";
}

std::string_view to_string(Input input) {
  switch (input) {
    case Input::kSrc:
      return "src";
    case Input::kWeights:
      return "weights";
    case Input::kBias:
      return "bias";
    case Input::kDiffDst:
      return "diff_dst";
  }
  CONCORD_CHECK(false) << "input " << static_cast<int>(input);
  return {};
}

namespace {

template <std::size_t... index>
Attributes make_default(std::size_t wanted, std::index_sequence<index...>) {
  Attributes made;
  ((index == wanted ? void(made.emplace<index>()) : void()), ...);
  return made;
}

const SpatialAttributes* spatial_of(const Attributes& attributes) {
  if (const auto* a = std::get_if<Convolution1Attributes>(&attributes)) return a;
  return std::get_if<ConvolutionAttributes>(&attributes);
}

std::vector<std::size_t> rising(std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

}  // namespace

Attributes default_attributes(Operation operation) {
  return make_default(static_cast<std::size_t>(operation),
                      std::make_index_sequence<std::variant_size_v<Attributes>>());
}

const Tensor* input_of(const Problem& problem, Input input) {
  switch (input) {
    case Input::kSrc:
      return &problem.src;
    case Input::kWeights:
      return has_weights(problem.operation()) ? &problem.weights : nullptr;
    case Input::kBias:
      return problem.bias ? &*problem.bias : nullptr;
    case Input::kDiffDst:
      return problem.diff_dst ? &*problem.diff_dst : nullptr;
  }
  return nullptr;
}

DataFormat data_format_of(const Problem& problem) {
  const SpatialAttributes* spatial = spatial_of(problem.attributes);
  return spatial != nullptr ? spatial->data_format : DataFormat::kNXC;
}

WeightsFormat weights_format_of(const Problem& problem) {
  if (const auto* a = std::get_if<Convolution1Attributes>(&problem.attributes)) {
    return a->filter_format;
  }
  const auto* a = std::get_if<ConvolutionAttributes>(&problem.attributes);
  return a != nullptr ? a->weights_format : WeightsFormat::kXIO;
}

std::vector<std::size_t> dst_reading_axes(const Problem& problem, std::size_t rank) {
  if (is_discrete(problem.operation())) return channels_first_axes(data_format_of(problem), rank);
  auto axes = rising(rank);
  if (is_column_major(problem.operation())) std::reverse(axes.begin(), axes.end());
  return axes;
}

Tensor dst_in_reading_order(const Problem& problem, const Tensor& dst) {
  return permute(dst, dst_reading_axes(problem, dst.rank()));
}

Tensor in_reading_order(const Problem& problem, Input input) {
  const Tensor& tensor = *input_of(problem, input);
  if (input == Input::kSrc) return dst_in_reading_order(problem, tensor);
  if (input == Input::kWeights && is_discrete(problem.operation())) {
    return permute(tensor, channels_first_axes(weights_format_of(problem), tensor.rank()));
  }
  return permute(tensor, rising(tensor.rank()));
}

Extents dense_strides_of(Operation operation, const Extents& dims) {
  return is_column_major(operation) ? column_major_strides(dims) : dense_strides(dims);
}

}  // namespace concord
