// SPDX-License-Identifier: Apache-2.0
#include "plugin_codec/plugin_problem.h"

#include <algorithm>

#include "spec/check.h"

namespace concord {
namespace {

std::int32_t number_of(Dtype dtype) {
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

// The enumerators of the header have the numbers of ours; operations begin at 1.
static_assert(static_cast<int>(AutoPad::kNone) == CONCORD_PAD_NONE &&
              static_cast<int>(AutoPad::kSameUpper) == CONCORD_PAD_SAME_UPPER &&
              static_cast<int>(AutoPad::kSameLower) == CONCORD_PAD_SAME_LOWER &&
              static_cast<int>(AutoPad::kValid) == CONCORD_PAD_VALID &&
              static_cast<int>(DataFormat::kNXC) == CONCORD_NXC &&
              static_cast<int>(DataFormat::kNCX) == CONCORD_NCX &&
              static_cast<int>(WeightsFormat::kXIO) == CONCORD_XIO &&
              static_cast<int>(WeightsFormat::kOIX) == CONCORD_OIX &&
              static_cast<int>(Reading::kImplemented) == CONCORD_READING_IMPLEMENTED &&
              static_cast<int>(Reading::kDocumented) == CONCORD_READING_DOCUMENTED &&
              static_cast<int>(CntkLayout::kCudnn) == CONCORD_LAYOUT_CUDNN &&
              static_cast<int>(CntkLayout::kHwc) == CONCORD_LAYOUT_HWC &&
              static_cast<int>(KernelFunction::kNet) == CONCORD_KERNEL_NET &&
              static_cast<int>(KernelFunction::kNetK) == CONCORD_KERNEL_NET_K &&
              static_cast<int>(KernelFunction::kKeys) == CONCORD_KERNEL_KEYS &&
              static_cast<int>(Ties::kHalfOpen) == CONCORD_TIES_HALF_OPEN &&
              static_cast<int>(Ties::kOpen) == CONCORD_TIES_OPEN &&
              static_cast<int>(Ties::kClosed) == CONCORD_TIES_CLOSED &&
              static_cast<int>(Boundary::kZero) == CONCORD_BOUNDARY_ZERO &&
              static_cast<int>(Boundary::kReplicate) == CONCORD_BOUNDARY_REPLICATE &&
              static_cast<int>(Boundary::kReflect) == CONCORD_BOUNDARY_REFLECT &&
              static_cast<int>(Boundary::kSymmetric) == CONCORD_BOUNDARY_SYMMETRIC &&
              static_cast<int>(Operation::kConvolution1) + 1 == CONCORD_CONVOLUTION_1 &&
              static_cast<int>(Operation::kContinuousBackwardWeights) + 1 ==
                  CONCORD_CONTINUOUS_BACKWARD_WEIGHTS);

template <class Enum>
std::int32_t number_of(Enum literal) {
  return static_cast<std::int32_t>(literal);
}

Refusal too_many(std::string_view what, std::size_t count) {
  return {Fault::kRank, std::string(what) + " has " + std::to_string(count) +
                            " values; the plugin ABI has room for " +
                            std::to_string(CONCORD_MAX_RANK)};
}

/// Translates one thing after another and keeps the first refusal.
class Translator {
 public:
  concord_tensor tensor(std::string_view name, Dtype dtype, const Tensor& tensor) {
    concord_tensor result{};
    result.dtype = number_of(dtype);
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

  PluginProblem::Attributes operator()(const Convolution1Attributes& a) {
    return convolution(a, a.filter_format);
  }
  PluginProblem::Attributes operator()(const ConvolutionAttributes& a) {
    return convolution(a, a.weights_format);
  }
  PluginProblem::Attributes operator()(const AtrousConv2dAttributes& a) {
    return concord_atrous_conv2d{sizeof(concord_atrous_conv2d), a.rate,
                                 a.padding == TfPadding::kOther  ? 2
                                 : a.padding == TfPadding::kSame ? 1
                                                                 : 0};
  }
  PluginProblem::Attributes operator()(const SpaceToBatchAttributes& a) {
    return concord_blocks{sizeof(concord_blocks), a.block_size, list("paddings", a.paddings)};
  }
  PluginProblem::Attributes operator()(const BatchToSpaceAttributes& a) {
    return concord_blocks{sizeof(concord_blocks), a.block_size, list("crops", a.crops)};
  }
  PluginProblem::Attributes operator()(const CntkConvolutionAttributes& a) {
    return concord_cntk_convolution{
        sizeof(concord_cntk_convolution), list("kernel", a.kernel),
        list("mapCount", a.map_count),    list("stride", a.stride),
        list("sharing", a.sharing),       list("autoPadding", a.auto_padding),
        list("lowerPad", a.lower_pad),    list("upperPad", a.upper_pad),
        a.max_temp_mem_size_in_samples};
  }
  PluginProblem::Attributes operator()(const CntkConvolution2dAttributes& a) {
    return concord_cntk_convolution_2d{sizeof(concord_cntk_convolution_2d),
                                       a.kernel_width,
                                       a.kernel_height,
                                       a.map_count,
                                       a.horizontal_stride,
                                       a.vertical_stride,
                                       a.zero_padding,
                                       a.max_temp_mem_size_in_samples,
                                       number_of(a.image_layout)};
  }
  PluginProblem::Attributes operator()(const ContinuousAttributes& a) {
    return concord_continuous{sizeof(concord_continuous),
                              rational(a.scale_h),
                              rational(a.scale_w),
                              list("size", a.size),
                              list("kernel", a.kernel),
                              list("widths", a.widths),
                              a.channels,
                              rational(a.slope),
                              number_of(a.function),
                              number_of(a.ties),
                              number_of(a.boundary)};
  }

  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  concord_convolution convolution(const SpatialAttributes& a, WeightsFormat weights_format) {
    concord_convolution result{};
    result.struct_size = sizeof result;
    result.strides = list("strides", a.strides);
    result.pads_begin = list("pads_begin", a.pads_begin);
    result.pads_end = list("pads_end", a.pads_end);
    result.dilations = list("dilations", a.dilations);
    result.auto_pad = number_of(a.auto_pad);
    result.data_format = number_of(a.data_format);
    result.weights_format = number_of(weights_format);
    result.groups = a.groups;
    return result;
  }
  static concord_rational rational(const Rational& value) {
    return {value.numerator(), value.denominator()};
  }
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

std::optional<std::size_t> place_of(const Problem& problem, Input input) {
  if (input_of(problem, input) == nullptr) return std::nullopt;
  return std::min(static_cast<std::size_t>(input), std::size_t{2});
}

Result<std::unique_ptr<PluginProblem>> PluginProblem::make(const Problem& problem) {
  std::unique_ptr<PluginProblem> made(new PluginProblem);
  if (auto refusal = made->fill(problem)) return *refusal;
  return made;
}

PluginProblem::PluginProblem(const Problem& problem) {
  const auto refusal = fill(problem);
  CONCORD_CHECK(!refusal) << refusal->detail;
}

std::optional<Refusal> PluginProblem::fill(const Problem& problem) {
  Translator translator;
  concord_problem& p = problem_;
  p.struct_size = sizeof p;
  p.operation = number_of(problem.operation()) + 1;
  p.reading = number_of(problem.reading);
  for (const Input input : kInputs) {
    const auto place = place_of(problem, input);
    if (!place) continue;
    inputs_.at(*place) =
        translator.tensor(to_string(input), problem.dtype, *input_of(problem, input));
    p.num_inputs = static_cast<std::int32_t>(*place) + 1;
  }
  output_ = translator.tensor("dst", problem.dtype, problem.dst.value_or(Tensor{}));
  p.num_outputs = 1;
  p.inputs = inputs_.data();
  p.outputs = &output_;
  attributes_ = std::visit(translator, problem.attributes);
  p.attributes = std::visit([](const auto& a) -> const void* { return &a; }, attributes_);
  return translator.refusal();
}

}  // namespace concord
