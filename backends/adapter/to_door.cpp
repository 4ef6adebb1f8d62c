// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/to_door.h"

#include <dlfcn.h>

#include <algorithm>

#include "spec/check.h"

namespace concord::backends {
namespace {

int32_t code_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return CONCORD_F32;
    case Dtype::kF16:
      return CONCORD_F16;
    case Dtype::kBF16:
      return CONCORD_BF16;
  }
  return 0;
}

concord_tensor to_tensor(const Tensor& tensor, Dtype dtype) {
  CONCORD_CHECK(tensor.rank() <= CONCORD_MAX_RANK) << to_string(tensor);
  concord_tensor result{};
  result.dtype = code_of(dtype);
  result.rank = static_cast<int32_t>(tensor.rank());
  const Extents strides = strides_of(tensor);
  std::copy(tensor.dims.begin(), tensor.dims.end(), result.dims);
  std::copy(strides.begin(), strides.end(), result.strides);
  return result;
}

concord_list to_list(const Extents& values) {
  CONCORD_CHECK(values.size() <= CONCORD_MAX_RANK) << values.size() << " values";
  concord_list result{};
  result.size = static_cast<int32_t>(values.size());
  std::copy(values.begin(), values.end(), result.at);
  return result;
}

concord_convolution to_convolution(const SpatialAttributes& a, WeightsFormat weights) {
  concord_convolution result{};
  result.struct_size = sizeof result;
  result.strides = to_list(a.strides);
  result.pads_begin = to_list(a.pads_begin);
  result.pads_end = to_list(a.pads_end);
  result.dilations = to_list(a.dilations);
  result.auto_pad = static_cast<int32_t>(a.auto_pad);
  result.data_format = a.data_format == DataFormat::kNXC ? CONCORD_NXC : CONCORD_NCX;
  result.weights_format = weights == WeightsFormat::kXIO ? CONCORD_XIO : CONCORD_OIX;
  result.groups = a.groups;
  return result;
}

}  // namespace

DoorProblem::DoorProblem(const Problem& problem) {
  inputs_[0] = to_tensor(problem.src, problem.dtype);
  inputs_[1] = to_tensor(problem.weights, problem.dtype);
  if (problem.bias) inputs_[2] = to_tensor(*problem.bias, problem.dtype);
  output_ = to_tensor(problem.dst.value_or(Tensor{}), problem.dtype);
  problem_.struct_size = sizeof problem_;
  problem_.reading = static_cast<int32_t>(problem.reading);
  problem_.num_inputs = problem.bias ? 3 : 2;
  problem_.num_outputs = 1;
  problem_.inputs = inputs_.data();
  problem_.outputs = &output_;
  problem_.attributes = &convolution_;
  if (const auto* one = std::get_if<Convolution1Attributes>(&problem.attributes)) {
    problem_.operation = CONCORD_CONVOLUTION_1;
    convolution_ = to_convolution(*one, one->filter_format);
  } else if (const auto* other = std::get_if<ConvolutionAttributes>(&problem.attributes)) {
    problem_.operation = CONCORD_CONVOLUTION;
    convolution_ = to_convolution(*other, other->weights_format);
  } else {
    const auto& atrous = std::get<AtrousConv2dAttributes>(problem.attributes);
    problem_.operation = CONCORD_ATROUS_CONV2D;
    problem_.attributes = &atrous_;
    atrous_ = {sizeof atrous_, atrous.rate, atrous.padding == TfPadding::kSame ? 1 : 0};
  }
}

Or<const concord_plugin*> load_plugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return declines(dlerror());
  void* symbol = dlsym(library, CONCORD_PLUGIN_SYMBOL);
  if (symbol == nullptr) return declines(path + " has no symbol " CONCORD_PLUGIN_SYMBOL);
  const concord_plugin* plugin = reinterpret_cast<concord_plugin_v1_function>(symbol)();
  if (plugin == nullptr || plugin->abi != CONCORD_ABI || plugin->struct_size < sizeof *plugin) {
    return declines(path + " has another ABI");
  }
  return plugin;
}

void* find_symbol(const std::string& path, const char* symbol) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, symbol);
}

}  // namespace concord::backends
