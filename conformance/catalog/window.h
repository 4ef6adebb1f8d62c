// SPDX-License-Identifier: Apache-2.0
// How a window slides along one axis, and discrete problems made of one such window for each axis.
#ifndef CONCORD_CONFORMANCE_CATALOG_WINDOW_H_
#define CONCORD_CONFORMANCE_CATALOG_WINDOW_H_

#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/catalog/extents.h"

namespace concord::conformance {

/// Extent of src and kernel, stride, dilation and pads of one axis.
struct Window {
  Extent I = 1, K = 1, S = 1, D = 1, begin = 0, end = 0;
};

/// What a problem is made of besides its windows.
struct Surrounds {
  bool is_convolution1 = false;
  Dtype dtype = Dtype::kF32;
  DataFormat data_format = DataFormat::kNCX;
  WeightsFormat weights_format = WeightsFormat::kOIX;
  AutoPad auto_pad = AutoPad::kNone;
  bool has_bias = false;
  Extent N = 1, G = 1, ICG = 1, OCG = 1;
};

/// Shapes  one window for each spatial axis, outermost first; under an auto_pad its pads are ignored
Problem problem_of(const Surrounds& surrounds, const std::vector<Window>& windows);

/// True if the reference takes a problem with this window on its only axis.
bool is_legal(const Window& window, AutoPad auto_pad);
/// True if there also is an element of dst.
bool has_output(const Window& window, AutoPad auto_pad);
/// True if the documents leave open whether it is refused.
bool is_open(const Window& window, AutoPad auto_pad);

/// The case FAMILY/NAME/DTYPE/FILL of the suite with this seed; with integers where the problem has
/// no data of that kind.
Case swept_case(std::string_view family, const std::string& name, Problem problem, Fill fill,
                std::string_view origin, std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_WINDOW_H_
