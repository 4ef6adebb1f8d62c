// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/exec_messages.h"

#include <unistd.h>

#include "conformance/worker/dst_check.h"

namespace concord::conformance {
namespace {

Json tensor_object(const Tensor& tensor) {
  return {{"dims", tensor.dims}, {"strides", strides_of(tensor)}};
}

Json spatial_object(const SpatialAttributes& a, WeightsFormat weights_format) {
  return {{"strides", a.strides},
          {"pads_begin", a.pads_begin},
          {"pads_end", a.pads_end},
          {"dilations", a.dilations},
          {"auto_pad", to_string(a.auto_pad)},
          {"groups", a.groups},
          {"data_format", to_string(a.data_format)},
          {"weights_format", to_string(weights_format)}};
}

std::string text_of(const Rational& value) { return to_string(value); }

Json continuous_object(const ContinuousAttributes& a) {
  return {{"scale", {text_of(a.scale_h), text_of(a.scale_w)}},
          {"size", a.size},
          {"kernel", a.kernel},
          {"channels", a.channels},
          {"function", to_string(a.function)},
          {"widths", a.widths},
          {"slope", text_of(a.slope)},
          {"ties", to_string(a.ties)},
          {"boundary", to_string(a.boundary)}};
}

struct AttributesObject {
  Json operator()(const Convolution1Attributes& a) const {
    return spatial_object(a, a.filter_format);
  }
  Json operator()(const ConvolutionAttributes& a) const {
    return spatial_object(a, a.weights_format);
  }
  Json operator()(const AtrousConv2dAttributes& a) const {
    const bool other = a.padding == TfPadding::kOther;
    return {{"rate", a.rate}, {"padding", other ? a.other_padding : to_string(a.padding)}};
  }
  Json operator()(const SpaceToBatchAttributes& a) const {
    return {{"block_size", a.block_size}, {"paddings", a.paddings}};
  }
  Json operator()(const BatchToSpaceAttributes& a) const {
    return {{"block_size", a.block_size}, {"crops", a.crops}};
  }
  Json operator()(const CntkConvolutionAttributes& a) const {
    return {{"kernel", a.kernel},
            {"mapCount", a.map_count},
            {"stride", a.stride},
            {"sharing", a.sharing},
            {"autoPadding", a.auto_padding},
            {"lowerPad", a.lower_pad},
            {"upperPad", a.upper_pad},
            {"maxTempMemSizeInSamples", a.max_temp_mem_size_in_samples}};
  }
  Json operator()(const CntkConvolution2dAttributes& a) const {
    return {{"kernelWidth", a.kernel_width},
            {"kernelHeight", a.kernel_height},
            {"mapCount", a.map_count},
            {"horizontalStride", a.horizontal_stride},
            {"verticalStride", a.vertical_stride},
            {"zeroPadding", a.zero_padding},
            {"maxTempMemSizeInSamples", a.max_temp_mem_size_in_samples},
            {"imageLayout", to_string(a.image_layout)}};
  }
  Json operator()(const ContinuousAttributes& a) const { return continuous_object(a); }
};

}  // namespace

Json problem_object(const Problem& problem) {
  Json inputs = Json::array();
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) inputs.push_back(tensor_object(*tensor));
  }
  Json outputs = Json::array();
  outputs.push_back(problem.dst ? tensor_object(*problem.dst) : Json(nullptr));
  return {{"text", print(problem)},
          {"operation", to_string(problem.operation())},
          {"dtype", to_string(problem.dtype)},
          {"reading", to_string(problem.reading)},
          {"inputs", inputs},
          {"outputs", outputs},
          {"attributes", std::visit(AttributesObject{}, problem.attributes)}};
}

Json memory_object(const Problem& problem, const Arena& arena, Side side) {
  const auto place = [&](Slot slot, const Tensor& tensor) -> Json {
    const std::size_t bytes = bytes_of(problem.dtype, tensor);
    return {{"offset", slot_end(slot) - tensor_place(bytes, side).from_end}, {"bytes", bytes}};
  };
  Json inputs = Json::array();
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) inputs.push_back(place(slot_of(input), *tensor));
  }
  Json outputs = Json::array();
  outputs.push_back(place(Slot::kDst, problem.dst.value_or(Tensor{})));
  return {
      {"path", "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(arena.descriptor())},
      {"inputs", inputs},
      {"outputs", outputs}};
}

}  // namespace concord::conformance
