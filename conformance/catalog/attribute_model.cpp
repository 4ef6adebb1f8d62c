// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/attribute_model.h"

#include <algorithm>
#include <initializer_list>

#include "conformance/catalog/form_model.h"
#include "spec/check.h"
#include "spec/walk_attributes.h"

namespace concord::conformance {
namespace {

using Levels = std::initializer_list<std::string_view>;

// Around the widths of vectors of 4, 8, 16 and 32 elements.
const Levels kChannels = {"1",  "3",  "4",  "5",  "7",  "8",  "9",
                          "15", "16", "17", "31", "32", "33", "64"};
const Levels kKernels = {"1", "2", "3", "4", "5", "7"};
const Levels kStrides = {"1", "2", "3", "4", "beyond_kernel"};
const Levels kDilations = {"1", "2", "3", "4"};
const Levels kPads = {"none", "begin", "end",          "symmetric", "uneven",
                      "half", "full",  "beyond_begin", "beyond_end"};

// What a partial row says: a question about an open factor is answered by "it may".
class Choice {
 public:
  explicit Choice(const Row& row) : row_(row) {}

  /// True if the factor is chosen and is none of `levels`.
  bool is_not(Attribute attribute, Levels levels) const {
    return chosen(attribute) && !among(attribute, levels);
  }
  /// True if the factor is chosen and is one of `levels`.
  bool is(Attribute attribute, Levels levels) const {
    return chosen(attribute) && among(attribute, levels);
  }
  /// True if both factors are chosen, and not the same level.
  bool differ(Attribute one, Attribute other) const {
    return chosen(one) && chosen(other) && level_of(row_, one) != level_of(row_, other);
  }

 private:
  bool chosen(Attribute attribute) const {
    return row_[static_cast<std::size_t>(attribute)] != kOpen;
  }
  bool among(Attribute attribute, Levels levels) const {
    return std::find(levels.begin(), levels.end(), level_of(row_, attribute)) != levels.end();
  }

  const Row& row_;
};

constexpr Attribute kAxisFactors[] = {Attribute::kKernelD, Attribute::kStrideD,
                                      Attribute::kDilationD, Attribute::kPadsD};

bool atrous_conflicts(const Choice& c) {
  if (!c.is(Attribute::kOperation, {"AtrousConv2d"})) return false;
  for (std::size_t axis = 0; axis < kMostAxes; ++axis) {
    if (c.is_not(of_axis(Attribute::kStrideD, axis), {"1"}) ||
        c.is_not(of_axis(Attribute::kPadsD, axis), {"none"})) {
      return true;
    }
  }
  return c.is_not(Attribute::kSpatialAxes, {"2"}) || c.is_not(Attribute::kDataFormat, {"NXC"}) ||
         c.is_not(Attribute::kWeightsFormat, {"XIO"}) || c.is_not(Attribute::kKernelD, {"1"}) ||
         c.is_not(Attribute::kDilationD, {"1"}) ||
         c.differ(Attribute::kDilationH, Attribute::kDilationW) ||
         c.is_not(Attribute::kAutoPad, {"same_upper", "valid"}) ||
         c.is_not(Attribute::kGroups, {"1"}) || c.is_not(Attribute::kBias, {"no"}) ||
         c.is(Attribute::kExtents, {"left_over"});
}

/// The first axis that a row may have.
std::size_t first_axis(const Choice& c) {
  if (c.is(Attribute::kSpatialAxes, {"1"})) return 2;
  return c.is(Attribute::kSpatialAxes, {"2"}) ? 1 : 0;
}

bool axes_conflict(const Choice& c) {
  const std::size_t first = first_axis(c);
  for (std::size_t axis = 0; axis < first; ++axis) {
    for (const Attribute depth : kAxisFactors) {
      if (c.is_not(of_axis(depth, axis), {"1", "none"})) return true;
    }
  }
  if (!c.is(Attribute::kExtents, {"left_over"})) return false;
  for (std::size_t axis = first; axis < kMostAxes; ++axis) {
    if (!c.is(of_axis(Attribute::kStrideD, axis), {"1"})) return false;
  }
  return true;  // windows that move by one leave nothing over
}

constexpr auto kFirstOther = static_cast<std::size_t>(Attribute::kOthers);

// A level, other than the first, of an attribute that the operation does not have. The operation's
// levels have the numbers of their enumerators.
bool others_conflict(const Row& row) {
  if (row[0] == kOpen) return false;
  for (std::size_t f = kFirstOther; f < row.size(); ++f) {
    const auto operation = static_cast<Operation>(row[0]);
    if (row[f] > 0 && !has_attribute(operation, attribute_factors()[f].name)) return true;
  }
  return false;
}

bool levels_conflict(const Choice& c) {
  if (c.is(Attribute::kReading, {"documented"}) &&
      c.is_not(Attribute::kOperation, {"Convolution1"})) {
    return true;
  }
  return c.is(Attribute::kGroups, {"depthwise"}) && c.is_not(Attribute::kOC, {"1", "3", "4"});
}

bool is_allowed(const Row& row, Cost most) {
  const Choice choice(row);
  if (atrous_conflicts(choice) || axes_conflict(choice) || levels_conflict(choice) ||
      others_conflict(row)) {
    return false;
  }
  const Cost cost = least_cost(row);
  return cost.macs <= most.macs && cost.src_elements <= most.src_elements;
}

constexpr Cost kMaxPlainCost = {150'000, kMaxRowCost.src_elements};

bool is_plain(const Row& row) {
  const Choice c(row);
  const auto others = row.begin() + kFirstOther;
  if (std::any_of(others, row.end(), [](int level) { return level > 0; })) return false;
  for (const Attribute depth : kAxisFactors) {
    if (c.is_not(depth, {"1", "none"})) return false;
  }
  for (std::size_t axis = 1; axis < kMostAxes; ++axis) {
    if (c.is_not(of_axis(Attribute::kStrideD, axis), {"1", "2", "3"}) ||
        c.is_not(of_axis(Attribute::kDilationD, axis), {"1", "2", "3"}) ||
        c.is_not(of_axis(Attribute::kPadsD, axis), {"none", "symmetric", "half", "full"})) {
      return false;
    }
  }
  const bool has_pads =
      c.is_not(Attribute::kPadsH, {"none"}) || c.is_not(Attribute::kPadsW, {"none"});
  if (has_pads && c.is_not(Attribute::kAutoPad, {"none"})) return false;
  const Levels in = {"1", "3", "4", "8", "16", "17", "32", "33"};
  const Levels out = {"1", "3", "4", "8", "16", "17", "32", "64"};
  return !c.is_not(Attribute::kOperation, {"Convolution"}) &&
         !c.is_not(Attribute::kDtype, {"f32"}) && !c.is_not(Attribute::kSpatialAxes, {"2"}) &&
         !c.is_not(Attribute::kDataFormat, {"NCX"}) &&
         !c.is_not(Attribute::kWeightsFormat, {"OIX"}) &&
         !c.is_not(Attribute::kAutoPad, {"none", "same_upper", "valid"}) &&
         !c.is_not(Attribute::kIC, in) && !c.is_not(Attribute::kOC, out) &&
         !c.is_not(Attribute::kBatch, {"1", "2"}) && !c.is_not(Attribute::kMemory, {"dense"}) &&
         !c.is_not(Attribute::kReading, {"implemented"});
}

std::vector<int> level_counts() {
  std::vector<int> counts;
  for (const Factor& factor : attribute_factors()) {
    counts.push_back(static_cast<int>(factor.levels.size()));
  }
  return counts;
}

}  // namespace

const std::vector<Factor>& attribute_factors() {
  static const std::vector<Factor> factors = {
      {"operation", {"Convolution1", "Convolution", "AtrousConv2d"}},
      {"dtype", form::dtype_levels()},
      {"spatial_axes", {"1", "2", "3"}},
      {"data_format", {"NXC", "NCX"}},
      {"weights_format", {"XIO", "OIX"}},
      {"kernel_d", kKernels},
      {"kernel_h", kKernels},
      {"kernel_w", kKernels},
      {"stride_d", kStrides},
      {"stride_h", kStrides},
      {"stride_w", kStrides},
      {"dilation_d", kDilations},
      {"dilation_h", kDilations},
      {"dilation_w", kDilations},
      {"auto_pad", {"none", "same_upper", "same_lower", "valid"}},
      {"pads_d", kPads},
      {"pads_h", kPads},
      {"pads_w", kPads},
      {"groups", {"1", "2", "3", "depthwise"}},
      {"ic", kChannels},
      {"oc", kChannels},
      {"batch", {"1", "2", "3"}},
      {"bias", {"no", "yes"}},
      {"memory", {"dense", "src_gaps", "weights_gaps", "dst_gaps", "all_gaps", "reordered"}},
      {"extents", {"smallest", "few", "tail", "left_over", "within_kernel"}},
      {"reading", {"implemented", "documented"}},
  };
  return factors;
}

std::string_view level_of(const Row& row, Attribute attribute) {
  const auto factor = static_cast<std::size_t>(attribute);
  CONCORD_CHECK(row[factor] != kOpen) << attribute_factors()[factor].name << " is open";
  return attribute_factors()[factor].levels[static_cast<std::size_t>(row[factor])];
}

Row with_level(Row row, Attribute attribute, std::string_view level) {
  const auto factor = static_cast<std::size_t>(attribute);
  const auto& levels = attribute_factors()[factor].levels;
  const auto found = std::find(levels.begin(), levels.end(), level);
  CONCORD_CHECK(found != levels.end()) << attribute_factors()[factor].name << "=" << level;
  row[factor] = static_cast<int>(found - levels.begin());
  return row;
}

FactorModel attribute_model() {
  return {level_counts(), [](const Row& row) { return is_allowed(row, kMaxRowCost); }};
}

FactorModel plain_model() {
  return {level_counts(),
          [](const Row& row) { return is_plain(row) && is_allowed(row, kMaxPlainCost); }};
}

Row base_row() {
  Row row(attribute_factors().size(), 0);
  row = with_level(row, Attribute::kOperation, "Convolution");
  row = with_level(row, Attribute::kSpatialAxes, "2");
  row = with_level(row, Attribute::kDataFormat, "NCX");
  row = with_level(row, Attribute::kWeightsFormat, "OIX");
  for (const std::size_t axis : {1U, 2U}) {
    row = with_level(row, of_axis(Attribute::kKernelD, axis), "3");
    row = with_level(row, of_axis(Attribute::kPadsD, axis), "symmetric");
  }
  row = with_level(row, Attribute::kIC, "4");
  row = with_level(row, Attribute::kOC, "5");
  row = with_level(row, Attribute::kBatch, "2");
  row = with_level(row, Attribute::kBias, "yes");
  row = with_level(row, Attribute::kExtents, "few");
  return row;
}

std::string describe(const Row& row) { return describe(attribute_factors(), row); }

std::string describe(const std::vector<Factor>& factors, const Row& row) {
  std::string text;
  for (std::size_t f = 0; f < row.size(); ++f) {
    const Factor& factor = factors[f];
    text.append(text.empty() ? "" : " ").append(factor.name).append("=");
    text.append(factor.levels[static_cast<std::size_t>(row[f])]);
  }
  return text;
}

std::optional<Row> row_of(std::string_view text) {
  Row row;
  for (const Factor& factor : attribute_factors()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || word.substr(0, equals) != factor.name) {
      return std::nullopt;
    }
    const auto found =
        std::find(factor.levels.begin(), factor.levels.end(), word.substr(equals + 1));
    if (found == factor.levels.end()) return std::nullopt;
    row.push_back(static_cast<int>(found - factor.levels.begin()));
  }
  return text.empty() ? std::optional(row) : std::nullopt;
}

}  // namespace concord::conformance
