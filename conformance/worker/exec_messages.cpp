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

Json attributes_object(const Attributes& attributes) {
  if (const auto* a = std::get_if<Convolution1Attributes>(&attributes)) {
    return spatial_object(*a, a->filter_format);
  }
  if (const auto* a = std::get_if<ConvolutionAttributes>(&attributes)) {
    return spatial_object(*a, a->weights_format);
  }
  const auto& a = std::get<AtrousConv2dAttributes>(attributes);
  return {{"rate", a.rate}, {"padding", to_string(a.padding)}};
}

}  // namespace

Json problem_object(const Problem& problem) {
  Json inputs = {tensor_object(problem.src), tensor_object(problem.weights)};
  if (problem.bias) inputs.push_back(tensor_object(*problem.bias));
  Json outputs = Json::array();
  outputs.push_back(problem.dst ? tensor_object(*problem.dst) : Json(nullptr));
  return {{"text", print(problem)},
          {"operation", to_string(problem.operation())},
          {"dtype", to_string(problem.dtype)},
          {"reading", to_string(problem.reading)},
          {"inputs", inputs},
          {"outputs", outputs},
          {"attributes", attributes_object(problem.attributes)}};
}

Json memory_object(const Problem& problem, const Arena& arena) {
  const auto place = [&](Slot slot, const Tensor& tensor) -> Json {
    const std::size_t bytes = bytes_of(problem.dtype, tensor);
    return {{"offset", slot_end(slot) - bytes}, {"bytes", bytes}};
  };
  Json inputs = {place(Slot::kSrc, problem.src), place(Slot::kWeights, problem.weights)};
  if (problem.bias) inputs.push_back(place(Slot::kBias, *problem.bias));
  Json outputs = Json::array();
  outputs.push_back(place(Slot::kDst, problem.dst.value_or(Tensor{})));
  return {
      {"path", "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(arena.descriptor())},
      {"inputs", inputs},
      {"outputs", outputs}};
}

}  // namespace concord::conformance
