// SPDX-License-Identifier: Apache-2.0
#include "spec/problem.h"

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
  }
  CONCORD_CHECK(false) << "operation " << static_cast<int>(operation);
  return {};
}

std::string_view to_string(Reading reading) {
  return reading == Reading::kImplemented ? "implemented" : "documented";
}

namespace {

struct DataFormatOf {
  DataFormat operator()(const SpatialAttributes& a) const { return a.data_format; }
  DataFormat operator()(const AtrousConv2dAttributes&) const { return DataFormat::kNXC; }
};

struct WeightsFormatOf {
  WeightsFormat operator()(const Convolution1Attributes& a) const { return a.filter_format; }
  WeightsFormat operator()(const ConvolutionAttributes& a) const { return a.weights_format; }
  WeightsFormat operator()(const AtrousConv2dAttributes&) const { return WeightsFormat::kXIO; }
};

}  // namespace

DataFormat data_format_of(const Problem& problem) {
  return std::visit(DataFormatOf{}, problem.attributes);
}

WeightsFormat weights_format_of(const Problem& problem) {
  return std::visit(WeightsFormatOf{}, problem.attributes);
}

}  // namespace concord
