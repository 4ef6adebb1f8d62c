// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/asked.h"

#include <algorithm>

namespace concord::backends::faulty {

SpatialAttributes* asked_attributes(Problem& problem) {
  if (auto* a = std::get_if<Convolution1Attributes>(&problem.attributes)) return a;
  return std::get_if<ConvolutionAttributes>(&problem.attributes);
}

const SpatialAttributes* asked_attributes(const Problem& problem) {
  if (const auto* a = std::get_if<Convolution1Attributes>(&problem.attributes)) return a;
  return std::get_if<ConvolutionAttributes>(&problem.attributes);
}

AutoPad asked_auto_pad(const Problem& problem) {
  if (const SpatialAttributes* a = asked_attributes(problem)) return a->auto_pad;
  const auto& atrous = std::get<AtrousConv2dAttributes>(problem.attributes);
  return atrous.padding == TfPadding::kSame ? AutoPad::kSameUpper : AutoPad::kValid;
}

bool asks_same(const Problem& problem) {
  const AutoPad auto_pad = asked_auto_pad(problem);
  return auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower;
}

Spatial asked_pads_begin(const Problem& problem) {
  Spatial pads{};
  const SpatialAttributes* a = asked_attributes(problem);
  if (a != nullptr && a->pads_begin.size() <= pads.size()) {
    std::copy_backward(a->pads_begin.begin(), a->pads_begin.end(), pads.end());
  }
  return pads;
}

bool has_nonzero(const Extents& values) {
  return std::any_of(values.begin(), values.end(), [](Extent value) { return value != 0; });
}

}  // namespace concord::backends::faulty
