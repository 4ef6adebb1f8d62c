// SPDX-License-Identifier: Apache-2.0
// Convolution-1 with four to six spatial axes, which its document does not exclude. Each axis has
// factors of its own.
#include <iterator>

#include "conformance/catalog/attribute_numbers.h"
#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

constexpr int kLeastAxes = 4, kMostAxes = 6;

// The factors: those of the whole, then those of each axis.
enum Whole {
  kAxes,
  kDtype,
  kReading,
  kDataFormat,
  kFilterFormat,
  kAutoPad,
  kBatch,
  kGroups,
  kIC,
  kOC,
  kBias,
  kMemory,
  kWholes
};
enum OfAxis { kKernel, kStride, kDilation, kPads, kOutputs, kOfAxis };

constexpr Extent kOutChannels[] = {1, 3};
constexpr Extent kPadsBegin[] = {0, 1, 0, 2}, kPadsEnd[] = {0, 0, 1, 1};

std::size_t place(int axis, OfAxis factor) {
  return kWholes + static_cast<std::size_t>(axis) * kOfAxis + static_cast<std::size_t>(factor);
}

std::vector<Factor> factors() {
  std::vector<Factor> factors = {{"axes", {"4", "5", "6"}},
                                 {"dtype", form::dtype_levels()},
                                 {"reading", {"implemented", "documented"}},
                                 {"data_format", form::words<DataFormat>()},
                                 {"filter_format", form::words<WeightsFormat>()},
                                 {"auto_pad", form::words<AutoPad>()},
                                 {"batch", {"1", "2"}},
                                 {"groups", {"1", "2"}},
                                 {"in_channels", {"1", "2"}},
                                 {"out_channels", {"1", "3"}},
                                 {"bias", {"no", "yes"}},
                                 {"memory", form::kMemoryLevels}};
  const std::vector<std::string_view> kOneOrTwo = {"1", "2"};
  for (int axis = 0; axis < kMostAxes; ++axis) {
    factors.push_back({form::factor_of_axis("kernel", axis), {"1", "2", "3"}});
    factors.push_back({form::factor_of_axis("stride", axis), kOneOrTwo});
    factors.push_back({form::factor_of_axis("dilation", axis), kOneOrTwo});
    factors.push_back({form::factor_of_axis("pads", axis), {"none", "begin", "end", "uneven"}});
    factors.push_back({form::factor_of_axis("outputs", axis), kOneOrTwo});
  }
  return factors;
}

// Axes that do not exist are the first ones, and have the first level of everything.
bool is_allowed(const Row& row) {
  const int most = row[kAxes] == kOpen ? kMostAxes : kLeastAxes + row[kAxes];
  for (std::size_t f = kWholes; f < place(kMostAxes - most, kKernel); ++f) {
    if (!form::may_be(row[f], 0)) return false;
  }
  return true;
}

AttributeNumbers numbers_of_row(const Row& row) {
  AttributeNumbers n;
  n.auto_pad = static_cast<AutoPad>(row[kAutoPad]);
  n.documented = row[kReading] == 1;
  for (int axis = kMostAxes - kLeastAxes - row[kAxes]; axis < kMostAxes; ++axis) {
    const auto level = [&](OfAxis factor) { return row[place(axis, factor)]; };
    n.K.push_back(level(kKernel) + 1);
    n.S.push_back(level(kStride) + 1);
    n.D.push_back(level(kDilation) + 1);
    n.P_begin.push_back(kPadsBegin[level(kPads)]);
    n.P_end.push_back(kPadsEnd[level(kPads)]);
  }
  return n;
}

Problem problem_for(const Row& row) {
  const AttributeNumbers n = numbers_of_row(row);
  Convolution1Attributes a;
  set_numbers(n, a);
  a.data_format = static_cast<DataFormat>(row[kDataFormat]);
  a.filter_format = static_cast<WeightsFormat>(row[kFilterFormat]);
  Shape shape{row[kBatch] + 1, row[kGroups] + 1, row[kIC] + 1, kOutChannels[row[kOC]], {}, n.K};
  for (std::size_t i = 0; i < n.axes(); ++i) {
    const Extent outputs = row[place(kMostAxes - static_cast<int>(n.axes() - i), kOutputs)] + 1;
    shape.I.push_back(least_input(n, i, outputs));
  }
  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  if (n.documented) problem.reading = Reading::kDocumented;
  problem.attributes = a;
  form::set_tensors(shape, row[kBias] == 1, row[kMemory], problem);
  return problem;
}

}  // namespace

FormModel many_axes_model() {
  FormModel made = form::model("many_axes", factors(), problem_for, is_allowed);
  made.is_late = true;
  return made;
}

}  // namespace concord::conformance
