// SPDX-License-Identifier: Apache-2.0
// The attributes of a discrete convolution as factors with a few significant levels each, for
// sweeps of one attribute and covering arrays of two.
#ifndef CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_MODEL_H_
#define CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_MODEL_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalog/covering.h"
#include "spec/problem.h"

namespace concord::conformance {

/// The factors, in the order of a Row. Those of an axis come for the depth, the height and the
/// width; a problem with fewer axes lacks the first ones.
enum class Attribute {
  kOperation,
  kDtype,
  kSpatialAxes,
  kDataFormat,
  kWeightsFormat,
  kKernelD,  ///< extent of weights
  kKernelH,
  kKernelW,
  kStrideD,  ///< "beyond_kernel" skips input elements even between dilated kernels
  kStrideH,
  kStrideW,
  kDilationD,  ///< equal on both axes of AtrousConv2d: its rate
  kDilationH,
  kDilationW,
  kAutoPad,  ///< other than "none", it overrides the pads
  kPadsD,    ///< stated pads: "full" is the dilated kernel but one on both sides, "half" its half
  kPadsH,
  kPadsW,
  kGroups,  ///< "depthwise": as many as channels
  kIC,      ///< of a group; of the whole for depthwise
  kOC,      ///< of a group; the multiplier for depthwise
  kBatch,
  kBias,
  kMemory,   ///< which tensors have gaps, or their axes in another order
  kExtents,  ///< of dst: how small, and whether the last window leaves input over; or of src: less
             ///< than the dilated kernel where pads and auto_pad let it
  kReading,
  kOthers  ///< the first of those that are named after attributes, by their keys
};

/// Depth, height and width.
inline constexpr std::size_t kMostAxes = 3;
/// `depth` is the factor of the depth; that of axis 1 is the height's, of 2 the width's.
constexpr Attribute of_axis(Attribute depth, std::size_t axis) {
  return static_cast<Attribute>(static_cast<std::size_t>(depth) + axis);
}

struct Factor {
  std::string_view name;
  std::vector<std::string_view> levels{};
};
const std::vector<Factor>& attribute_factors();
/// "operation=Convolution dtype=f32 ...".
std::string describe(const std::vector<Factor>& factors, const Row& row);

/// The level's name; `row` has it chosen.
std::string_view level_of(const Row& row, Attribute attribute);
/// The row with one level changed. `level` is a name of attribute_factors().
Row with_level(Row row, Attribute attribute, std::string_view level);

/// Which levels go together: an operation without a factor's attribute has the first level of it;
/// AtrousConv2d has no strides, pads, groups, bias or formats, and one
/// rate; an axis that a problem lacks has the first level of each of its factors; only Convolution1
/// has a documented reading of its own; multipliers are small; and no row needs more than
/// kMaxRowCost.
FactorModel attribute_model();

/// An ordinary problem, the middle of the sweeps of one attribute.
Row base_row();

/// The problem that a complete allowed row stands for, its extents as different from one another as
/// the row lets them be.
Problem problem_of(const Row& row);

struct Cost {
  Extent macs;  ///< including those by padding
  Extent src_elements;
};
inline constexpr Cost kMaxRowCost = {600'000, 150'000};
/// What every row completed from `row` costs, at least. A complete row costs a little more where
/// its extents are kept apart.
Cost least_cost(const Row& row);

/// The rows among those of attribute_model() that nearly every library serves: Convolution in f32,
/// NCX, two axes, dense, pads alike on both sides; smaller, with fewer numbers of channels.
FactorModel plain_model();

/// By attribute_factors().
std::string describe(const Row& row);
/// The row that describe() wrote as `text`; nothing for any other text.
std::optional<Row> row_of(std::string_view text);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_MODEL_H_
