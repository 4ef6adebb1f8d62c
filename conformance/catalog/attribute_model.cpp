// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/attribute_model.h"

#include <algorithm>
#include <initializer_list>

#include "spec/check.h"

namespace concord::conformance {
namespace {

using Levels = std::initializer_list<std::string_view>;

// Around the widths of vectors of 4, 8, 16 and 32 elements.
const Levels kChannels = {"1",  "3",  "4",  "5",  "7",  "8",  "9",
                          "15", "16", "17", "31", "32", "33", "64"};

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

 private:
  bool chosen(Attribute attribute) const {
    return row_[static_cast<std::size_t>(attribute)] != kOpen;
  }
  bool among(Attribute attribute, Levels levels) const {
    return std::find(levels.begin(), levels.end(), level_of(row_, attribute)) != levels.end();
  }

  const Row& row_;
};

bool atrous_conflicts(const Choice& c) {
  if (!c.is(Attribute::kOperation, {"AtrousConv2d"})) return false;
  return c.is_not(Attribute::kSpatialAxes, {"2"}) || c.is_not(Attribute::kDataFormat, {"NXC"}) ||
         c.is_not(Attribute::kWeightsFormat, {"XIO"}) || c.is_not(Attribute::kStride, {"1"}) ||
         c.is(Attribute::kDilation, {"mixed"}) ||
         c.is_not(Attribute::kPadding, {"same_upper", "valid"}) ||
         c.is_not(Attribute::kGroups, {"1"}) || c.is_not(Attribute::kBias, {"no"}) ||
         c.is(Attribute::kExtents, {"left_over"});
}

bool levels_conflict(const Choice& c) {
  const Levels mixed = {"mixed"};
  const bool anything_mixed = c.is(Attribute::kKernel, mixed) || c.is(Attribute::kStride, mixed) ||
                              c.is(Attribute::kDilation, mixed);
  if (anything_mixed && c.is(Attribute::kSpatialAxes, {"1"})) return true;
  if (c.is(Attribute::kReading, {"documented"}) &&
      c.is_not(Attribute::kOperation, {"Convolution1"})) {
    return true;
  }
  if (c.is(Attribute::kGroups, {"depthwise"}) && c.is_not(Attribute::kOC, {"1", "3", "4"})) {
    return true;
  }
  return c.is(Attribute::kExtents, {"left_over"}) && c.is(Attribute::kStride, {"1"});
}

}  // namespace

const std::vector<Factor>& attribute_factors() {
  static const std::vector<Factor> factors = {
      {"operation", {"Convolution1", "Convolution", "AtrousConv2d"}},
      {"dtype", {"f32", "f16", "bf16"}},
      {"spatial_axes", {"1", "2", "3"}},
      {"data_format", {"NXC", "NCX"}},
      {"weights_format", {"XIO", "OIX"}},
      {"kernel", {"1", "2", "3", "4", "5", "mixed"}},
      {"stride", {"1", "2", "3", "beyond_kernel", "mixed"}},
      {"dilation", {"1", "2", "3", "mixed"}},
      {"padding",
       {"none", "symmetric", "asymmetric", "beyond_kernel", "same_upper", "same_lower", "valid",
        "given_same_upper", "given_valid"}},
      {"groups", {"1", "2", "3", "depthwise"}},
      {"ic", kChannels},
      {"oc", kChannels},
      {"batch", {"1", "2", "3"}},
      {"bias", {"no", "yes"}},
      {"memory", {"dense", "src_gaps", "weights_gaps", "dst_gaps", "all_gaps", "reordered"}},
      {"extents", {"smallest", "few", "tail", "left_over"}},
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
  FactorModel model;
  for (const Factor& factor : attribute_factors()) {
    model.levels.push_back(static_cast<int>(factor.levels.size()));
  }
  model.allowed = [](const Row& row) {
    const Choice choice(row);
    if (atrous_conflicts(choice) || levels_conflict(choice)) return false;
    const Cost cost = least_cost(row);
    return cost.macs <= kMaxRowCost.macs && cost.src_elements <= kMaxRowCost.src_elements;
  };
  return model;
}

Row base_row() {
  Row row(attribute_factors().size(), 0);
  row = with_level(row, Attribute::kOperation, "Convolution");
  row = with_level(row, Attribute::kSpatialAxes, "2");
  row = with_level(row, Attribute::kDataFormat, "NCX");
  row = with_level(row, Attribute::kWeightsFormat, "OIX");
  row = with_level(row, Attribute::kKernel, "3");
  row = with_level(row, Attribute::kPadding, "symmetric");
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
