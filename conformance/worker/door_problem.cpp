// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/door_problem.h"

#include <algorithm>

namespace concord::conformance {
namespace {

std::int32_t door(Dtype dtype) {
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

std::int32_t door(AutoPad auto_pad) {
  switch (auto_pad) {
    case AutoPad::kNone:
      return CONCORD_PAD_NONE;
    case AutoPad::kSameUpper:
      return CONCORD_PAD_SAME_UPPER;
    case AutoPad::kSameLower:
      return CONCORD_PAD_SAME_LOWER;
    case AutoPad::kValid:
      return CONCORD_PAD_VALID;
  }
  return -1;
}

std::int32_t door(Operation operation) {
  switch (operation) {
    case Operation::kConvolution1:
      return CONCORD_CONVOLUTION_1;
    case Operation::kConvolution:
      return CONCORD_CONVOLUTION;
    case Operation::kAtrousConv2d:
      return CONCORD_ATROUS_CONV2D;
  }
  return 0;
}

Refusal too_many(std::string_view what, std::size_t count) {
  return {Fault::kRank, std::string(what) + " has " + std::to_string(count) +
                            " values; the plugin door has room for " +
                            std::to_string(CONCORD_MAX_RANK)};
}

/// Translates one thing after another and keeps the first refusal.
class Translator {
 public:
  concord_tensor tensor(std::string_view name, Dtype dtype, const Tensor& tensor) {
    concord_tensor result{};
    result.dtype = door(dtype);
    if (tensor.rank() > CONCORD_MAX_RANK) {
      refuse(too_many(name, tensor.rank()));
      return result;
    }
    const Extents strides = strides_of(tensor);
    result.rank = static_cast<std::int32_t>(tensor.rank());
    std::copy(tensor.dims.begin(), tensor.dims.end(), result.dims);
    std::copy(strides.begin(), strides.end(), result.strides);
    return result;
  }

  concord_convolution convolution(const SpatialAttributes& a, WeightsFormat weights_format) {
    concord_convolution result{};
    result.struct_size = sizeof result;
    result.strides = list("strides", a.strides);
    result.pads_begin = list("pads_begin", a.pads_begin);
    result.pads_end = list("pads_end", a.pads_end);
    result.dilations = list("dilations", a.dilations);
    result.auto_pad = door(a.auto_pad);
    result.data_format = a.data_format == DataFormat::kNXC ? CONCORD_NXC : CONCORD_NCX;
    result.weights_format = weights_format == WeightsFormat::kXIO ? CONCORD_XIO : CONCORD_OIX;
    result.groups = a.groups;
    return result;
  }

  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  concord_list list(std::string_view name, const Extents& values) {
    concord_list result{};
    if (values.size() > CONCORD_MAX_RANK) {
      refuse(too_many(name, values.size()));
      return result;
    }
    result.size = static_cast<std::int32_t>(values.size());
    std::copy(values.begin(), values.end(), result.at);
    return result;
  }
  void refuse(Refusal refusal) {
    if (!refusal_) refusal_ = std::move(refusal);
  }

  std::optional<Refusal> refusal_{};
};

}  // namespace

Result<std::unique_ptr<DoorProblem>> DoorProblem::make(const Problem& problem) {
  std::unique_ptr<DoorProblem> made(new DoorProblem);
  Translator translator;
  made->inputs_[0] = translator.tensor("src", problem.dtype, problem.src);
  made->inputs_[1] = translator.tensor("weights", problem.dtype, problem.weights);
  if (problem.bias) made->inputs_[2] = translator.tensor("bias", problem.dtype, *problem.bias);
  made->output_ = translator.tensor("dst", problem.dtype, problem.dst.value_or(Tensor{}));

  if (const auto* atrous = std::get_if<AtrousConv2dAttributes>(&problem.attributes)) {
    made->attributes_ = concord_atrous_conv2d{sizeof(concord_atrous_conv2d), atrous->rate,
                                              atrous->padding == TfPadding::kSame ? 1 : 0};
  } else if (const auto* a = std::get_if<Convolution1Attributes>(&problem.attributes)) {
    made->attributes_ = translator.convolution(*a, a->filter_format);
  } else {
    const auto& b = std::get<ConvolutionAttributes>(problem.attributes);
    made->attributes_ = translator.convolution(b, b.weights_format);
  }
  if (translator.refusal()) return *translator.refusal();

  concord_problem& p = made->problem_;
  p.struct_size = sizeof p;
  p.operation = door(problem.operation());
  p.reading = problem.reading == Reading::kImplemented ? CONCORD_READING_IMPLEMENTED
                                                       : CONCORD_READING_DOCUMENTED;
  p.num_inputs = problem.bias ? 3 : 2;
  p.num_outputs = 1;
  p.inputs = made->inputs_.data();
  p.outputs = &made->output_;
  p.attributes = std::visit([](const auto& a) -> const void* { return &a; }, made->attributes_);
  return made;
}

}  // namespace concord::conformance
