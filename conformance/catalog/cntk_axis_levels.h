// SPDX-License-Identifier: Apache-2.0
// One axis of CNTK's N-D convolution in levels, and the numbers behind them: which levels go
// together is what the reference accepts.
#ifndef CONCORD_CONFORMANCE_CATALOG_CNTK_AXIS_LEVELS_H_
#define CONCORD_CONFORMANCE_CATALOG_CNTK_AXIS_LEVELS_H_

#include <array>
#include <optional>
#include <string_view>

#include "conformance/catalog/covering.h"
#include "spec/tensor.h"

namespace concord::conformance {

inline constexpr std::array kCntkKernels =
    std::to_array<std::string_view>({"1", "2", "3", "whole_axis", "beyond_input"});
inline constexpr std::array kCntkStrides = std::to_array<std::string_view>({"1", "2", "3"});
/// "given" states pads that autoPadding overrides.
inline constexpr std::array kCntkPaddings =
    std::to_array<std::string_view>({"none", "auto", "auto_given", "lower", "upper", "both"});
/// How many windows there are at least, and whether the last leaves input over.
inline constexpr std::array kCntkExtents =
    std::to_array<std::string_view>({"smallest", "few", "left_over"});

inline constexpr int kCntkWholeAxis = 3;

/// The levels of an axis. kernel, stride, padding and extents may be kOpen.
struct CntkAxisLevels {
  bool is_last, documented;
  int kernel, stride, padding, extents;

  // Of chosen levels.
  Extent strides() const { return stride + 1; }
  Extent auto_padding() const { return padding == 1 || padding == 2 ? 1 : 0; }
  Extent lower_pad() const { return padding == 2 || padding == 3 || padding == 5 ? 1 : 0; }
  Extent upper_pad() const { return padding == 4 ? 1 : padding == 2 || padding == 5 ? 2 : 0; }
};

struct CntkAxisNumbers {
  Extent input, kernel, positions;
};

/// The least input that has at least so many windows, 1 for "smallest", and leaves input over where
/// the level says so; where that is impossible, what is nearest to it. Nothing if the levels do not
/// go together. All levels are chosen; `windows` is at most kMostCntkWindows.
std::optional<CntkAxisNumbers> cntk_axis_numbers(const CntkAxisLevels& levels, Extent windows);
inline constexpr Extent kMostCntkWindows = 3;

/// The least kernel * positions that any choice of the open levels gives, with kMostCntkWindows;
/// nothing if no choice goes together.
std::optional<Extent> least_cntk_products(const CntkAxisLevels& levels);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_CNTK_AXIS_LEVELS_H_
