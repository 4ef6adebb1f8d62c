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

/// The factors, in the order of a Row.
enum class Attribute {
  kOperation,
  kDtype,
  kSpatialAxes,
  kDataFormat,
  kWeightsFormat,
  kKernel,    ///< extents of weights; "mixed" has a different one on each axis
  kStride,    ///< "beyond_kernel" skips input elements even between dilated kernels
  kDilation,  ///< the rate of AtrousConv2d
  kPadding,   ///< "given_" ones state pads that an auto_pad overrides
  kGroups,    ///< "depthwise": as many as channels
  kIC,        ///< of a group; of the whole for depthwise
  kOC,        ///< of a group; the multiplier for depthwise
  kBatch,
  kBias,
  kMemory,   ///< which tensors have gaps, or their axes in another order
  kExtents,  ///< of dst: how small, and whether the last window leaves input over
  kReading,
};

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

/// Which levels go together: AtrousConv2d has no strides, groups, bias or formats; one axis cannot
/// be mixed; only Convolution1 has a documented reading of its own; multipliers are small; and no
/// row takes more than kMaxRowMacs multiplications.
FactorModel attribute_model();
inline constexpr Extent kMaxRowMacs = 1'000'000;

/// An ordinary problem, the middle of the sweeps of one attribute.
Row base_row();

/// The problem that a complete allowed row stands for, its extents as different from one another as
/// the row lets them be.
Problem problem_of(const Row& row);

struct Cost {
  Extent macs;  ///< including those by padding
  Extent src_elements;
};
inline constexpr Cost kMaxRowCost = {1'000'000, 200'000};
/// What every row completed from `row` costs, at least; of a complete row, what it costs.
Cost least_cost(const Row& row);

/// By attribute_factors().
std::string describe(const Row& row);
/// The row that describe() wrote as `text`; nothing for any other text.
std::optional<Row> row_of(std::string_view text);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_MODEL_H_
