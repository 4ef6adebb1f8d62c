// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/cntk_axis_levels.h"

#include <algorithm>
#include <vector>

#include "reference/cntk_geometry.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

constexpr int kSmallest = 0, kLeftOver = 2;

Extent kernel_of(int level, Extent input) {
  if (level < kCntkWholeAxis) return level + 1;
  return level == kCntkWholeAxis ? input : input + 1;
}

// True if some cell of some window is input: else all outputs are zero.
bool sees_input(const reference::CntkAxis& axis) {
  for (const auto [position, k] : Grid<2>{{axis.positions, axis.kernel}}) {
    const Extent x = position * axis.stride + k - axis.lower;
    if (x >= 0 && x < axis.input) return true;
  }
  return false;
}

// What the reference makes of the axis; one of a single element stands behind it if it is not last.
std::optional<CntkAxisNumbers> numbers_at(const CntkAxisLevels& levels, Extent input) {
  const Extent kernel = kernel_of(levels.kernel, input);
  CntkConvolutionAttributes a;
  a.kernel = {kernel};
  a.map_count = {1};
  a.stride = {levels.strides()};
  a.auto_padding = {levels.auto_padding()};
  a.lower_pad = {levels.lower_pad()};
  a.upper_pad = {levels.upper_pad()};
  reference::CntkOperands operands{{input, 1}, {1, kernel}};
  if (!levels.is_last) {
    operands.src = {input, 1, 1};
    for (Extents* list : {&a.kernel, &a.stride}) list->push_back(1);
    for (Extents* list : {&a.auto_padding, &a.lower_pad, &a.upper_pad}) list->push_back(0);
  }
  const auto g = reference::resolve_cntk(
      operands, a, levels.documented ? Reading::kDocumented : Reading::kImplemented);
  if (!g || !sees_input(g->axes[0])) return std::nullopt;
  return CntkAxisNumbers{input, kernel, g->axes[0].positions};
}

bool leaves_over(const CntkAxisLevels& levels, const CntkAxisNumbers& n) {
  const Extent window = levels.auto_padding() == 1 ? 1 : n.kernel;
  const Extent padded = n.input + levels.lower_pad() + levels.upper_pad();
  return ((levels.auto_padding() == 1 ? n.input : padded) - window) % levels.strides() != 0;
}

/// By the levels, each counted from 1, with 0 for an open one.
class LeastProducts {
 public:
  LeastProducts() : least_(kPlaces, kNever) {
    const Grid<6> choices{{2, 2, std::ssize(kCntkKernels), std::ssize(kCntkStrides),
                           std::ssize(kCntkPaddings), std::ssize(kCntkExtents)}};
    for (const auto& at : choices) {
      const CntkAxisLevels levels{at[0] != 0,
                                  at[1] != 0,
                                  static_cast<int>(at[2]),
                                  static_cast<int>(at[3]),
                                  static_cast<int>(at[4]),
                                  static_cast<int>(at[5])};
      const auto n = cntk_axis_numbers(levels, kMostCntkWindows);
      if (n) lower(levels, n->kernel * n->positions);
    }
  }

  std::optional<Extent> at(const CntkAxisLevels& levels) const {
    const Extent least = least_[place(levels)];
    return least == kNever ? std::nullopt : std::optional(least);
  }

 private:
  static constexpr Extent kNever = INT64_MAX;
  static constexpr std::size_t kPlaces = 4 * (kCntkKernels.size() + 1) * (kCntkStrides.size() + 1) *
                                         (kCntkPaddings.size() + 1) * (kCntkExtents.size() + 1);

  // At the levels' own place and wherever some of them are open.
  void lower(const CntkAxisLevels& levels, Extent products) {
    for (const auto [k, s, p, e] : Grid<4>{{2, 2, 2, 2}}) {
      CntkAxisLevels part = levels;
      if (k == 1) part.kernel = kOpen;
      if (s == 1) part.stride = kOpen;
      if (p == 1) part.padding = kOpen;
      if (e == 1) part.extents = kOpen;
      Extent& least = least_[place(part)];
      least = std::min(least, products);
    }
  }

  static std::size_t place(const CntkAxisLevels& levels) {
    static_assert(kOpen == -1);
    const Grid<6> grid{{2, 2, std::ssize(kCntkKernels) + 1, std::ssize(kCntkStrides) + 1,
                        std::ssize(kCntkPaddings) + 1, std::ssize(kCntkExtents) + 1}};
    return grid.offset({levels.is_last ? 1 : 0, levels.documented ? 1 : 0, levels.kernel + 1,
                        levels.stride + 1, levels.padding + 1, levels.extents + 1});
  }

  std::vector<Extent> least_;
};

}  // namespace

std::optional<CntkAxisNumbers> cntk_axis_numbers(const CntkAxisLevels& levels, Extent windows) {
  constexpr Extent kLargestInput = 12;  // three windows of three cells at stride 3, and pads
  std::optional<CntkAxisNumbers> first, few;
  for (Extent input = 1; input <= kLargestInput; ++input) {
    const auto n = numbers_at(levels, input);
    if (!n) continue;
    if (!first) first = n;
    // A kernel of the whole axis has one window, whatever the extent.
    const bool enough =
        levels.kernel == kCntkWholeAxis ? input >= windows : n->positions >= windows;
    if (!enough) continue;
    if (!few) few = n;
    if (levels.extents == kLeftOver && leaves_over(levels, *n)) return n;
  }
  return levels.extents == kSmallest || !few ? first : few;
}

std::optional<Extent> least_cntk_products(const CntkAxisLevels& levels) {
  static const LeastProducts kTable;
  return kTable.at(levels);
}

}  // namespace concord::conformance
