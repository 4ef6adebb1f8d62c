// SPDX-License-Identifier: Apache-2.0
// CNTK's N-D convolution, and its gradients. Each axis has factors of its own, so that any two and
// three attributes of any axes meet: five axes and weights that are not shared along the second,
// for instance.
#include <algorithm>

#include "conformance/catalog/cntk_axis_levels.h"
#include "conformance/catalog/form_model.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

constexpr int kMostAxes = 6;
// So that a case takes well under a millisecond.
constexpr Extent kMostProducts = 60'000;

// The factors: those of the whole, then those of each axis.
enum Whole {
  kRank,
  kDtype,
  kReading,
  kSamples,
  kBound,
  kMemory,
  kExtents,
  kSpelling,
  kMaps,
  kMissing,
  kWeights,
  kWholes
};
enum OfAxis { kKernel, kStride, kPadding, kSharing, kMapCount, kOfAxis };
enum MapsLevel { kRowsOfWeights, kOneNumber, kList };

constexpr Extent kSampleCounts[] = {1, 2, 3}, kBounds[] = {0, 1, 2, 9};

std::size_t place(int axis, OfAxis factor) {
  return kWholes + static_cast<std::size_t>(axis) * kOfAxis + static_cast<std::size_t>(factor);
}

std::vector<Factor> factors() {
  const auto all = [](const auto& levels) {
    return std::vector<std::string_view>(levels.begin(), levels.end());
  };
  std::vector<Factor> factors = {{"axes", {"1", "2", "3", "4", "5", "6"}},
                                 {"dtype", form::dtype_levels()},
                                 {"reading", {"implemented", "documented"}},
                                 {"samples", {"1", "2", "3"}},
                                 {"bound", {"none", "1", "2", "9"}},
                                 {"memory", form::kMemoryLevels},
                                 {"extents", all(kCntkExtents)},
                                 {"lists", {"one_per_axis", "one_where_equal"}},
                                 {"map_count", {"rows_of_weights", "one_number", "list"}},
                                 {"axes_without_kernel", {"0", "1", "2"}},
                                 {"weights", {"matrix", "one_row"}}};
  for (int axis = 0; axis < kMostAxes; ++axis) {
    factors.push_back({form::factor_of_axis("kernel", axis), all(kCntkKernels)});
    factors.push_back({form::factor_of_axis("stride", axis), all(kCntkStrides)});
    factors.push_back({form::factor_of_axis("padding", axis), all(kCntkPaddings)});
    factors.push_back({form::factor_of_axis("sharing", axis), {"true", "false"}});
    factors.push_back({form::factor_of_axis("maps", axis), {"1", "2", "3"}});
  }
  return factors;
}

// The levels of an axis of so many, of which the last ones may have no kernel of their own.
CntkAxisLevels levels_of(const Row& row, int axis, int rank) {
  const int missing = std::max(row[kMissing], 0);
  return {axis + 1 == rank && missing == 0, row[kReading] == 1,         row[place(axis, kKernel)],
          row[place(axis, kStride)],        row[place(axis, kPadding)], row[kExtents]};
}

bool all_may_be(const Row& row, int first_axis, int end_axis, OfAxis factor, int level) {
  for (int axis = first_axis; axis < end_axis; ++axis) {
    if (!form::may_be(row[place(axis, factor)], level)) return false;
  }
  return true;
}

// Axes that do not exist have the first level of everything.
bool lacks_axes(const Row& row, int rank) {
  for (std::size_t f = place(rank, kKernel); f < row.size(); ++f) {
    if (!form::may_be(row[f], 0)) return false;
  }
  return true;
}

// An axis without a kernel of its own is covered by one window, whatever the lists say.
bool lets_axes_be_missing(const Row& row, int rank) {
  const int missing = row[kMissing];
  if (missing <= 0) return true;
  return row[kReading] != 1 && missing < rank &&
         all_may_be(row, rank - missing, rank, kKernel, kCntkWholeAxis) &&
         all_may_be(row, rank - missing, rank, kStride, 0) &&
         all_may_be(row, rank - missing, rank, kPadding, 0) &&
         all_may_be(row, rank - missing, rank, kSharing, 0);
}

// One number is the last axis's; it is the rows of weights if every axis is shared.
bool lets_maps_be(const Row& row, int rank) {
  const int maps = row[kMaps];
  if (maps == kOpen || maps == kList) return true;
  if (!all_may_be(row, 0, rank - 1, kMapCount, 0)) return false;
  if (maps == kOneNumber) return true;
  return all_may_be(row, 0, rank, kSharing, 0) && form::may_be(row[kWeights], 0);
}

bool allows(const Row& row, int rank) {
  if (!lacks_axes(row, rank) || !lets_axes_be_missing(row, rank) || !lets_maps_be(row, rank)) {
    return false;
  }
  Extent products = row[kSamples] == kOpen ? 1 : kSampleCounts[row[kSamples]];
  for (int axis = 0; axis < rank; ++axis) {
    const auto least = least_cntk_products(levels_of(row, axis, rank));
    if (!least) return false;
    products *= *least * (std::max(row[place(axis, kMapCount)], 0) + 1);
  }
  return products <= kMostProducts;
}

bool is_allowed_with(int most_axes, const Row& row) {
  // Only the system takes weights of another shape.
  if (row[kReading] == 1 && !form::may_be(row[kWeights], 0)) return false;
  for (const int reading : {0, 1}) {
    if (!form::may_be(row[kReading], reading)) continue;
    Row with = row;
    with[kReading] = reading;
    if (reading == 1 && (row[kMissing] > 0 || row[kWeights] > 0)) continue;
    const auto ranks = form::range(row[kRank], most_axes);
    for (int rank = ranks.begin + 1; rank <= ranks.end; ++rank) {
      if (allows(with, rank)) return true;
    }
  }
  return false;
}

bool is_allowed(const Row& row) { return is_allowed_with(kMostAxes, row); }

// One value where they are all the same, if the row wants it so.
void spell(const Row& row, Extents& list) {
  const bool equal =
      std::adjacent_find(list.begin(), list.end(), std::not_equal_to<>()) == list.end();
  if (row[kSpelling] == 1 && equal) list.resize(1);
}

// Its tensors are dense.
Problem dense_problem_for(const Row& row) {
  const int rank = row[kRank] + 1, kernel_rank = rank - row[kMissing];
  CntkConvolutionAttributes a;
  for (Extents* list :
       {&a.map_count, &a.stride, &a.sharing, &a.auto_padding, &a.lower_pad, &a.upper_pad}) {
    list->clear();
  }
  Problem problem;
  Extent rows = 1, cells = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const CntkAxisLevels levels = levels_of(row, axis, rank);
    const CntkAxisNumbers n = cntk_axis_numbers(levels, 2 + axis % 2).value();
    const bool shared = row[place(axis, kSharing)] == 0;
    problem.src.dims.push_back(n.input);
    a.map_count.push_back(row[place(axis, kMapCount)] + 1);
    rows *= a.map_count.back() * (shared ? 1 : n.positions);
    cells *= n.kernel;
    if (axis >= kernel_rank) continue;
    a.kernel.push_back(n.kernel);
    a.stride.push_back(levels.strides());
    a.sharing.push_back(shared ? 1 : 0);
    a.auto_padding.push_back(levels.auto_padding());
    a.lower_pad.push_back(levels.lower_pad());
    a.upper_pad.push_back(levels.upper_pad());
  }
  for (Extents* list : {&a.stride, &a.sharing, &a.auto_padding, &a.lower_pad, &a.upper_pad}) {
    spell(row, *list);
  }
  if (row[kMaps] != kList) a.map_count = {row[kMaps] == kOneNumber ? a.map_count.back() : 0};
  a.max_temp_mem_size_in_samples = kBounds[row[kBound]];
  problem.dtype = kCommonDtypes[row[kDtype]];
  problem.reading = row[kReading] == 1 ? Reading::kDocumented : Reading::kImplemented;
  problem.src.dims.push_back(kSampleCounts[row[kSamples]]);
  problem.weights.dims = row[kWeights] == 1 ? Extents{1, rows * cells} : Extents{rows, cells};
  problem.attributes = a;
  return problem;
}

Problem problem_for(const Row& row) {
  Problem problem = dense_problem_for(row);
  form::set_memory(row[kMemory], problem);
  return problem;
}

// The gradients have a factor more, behind the others. Their index map is the convolution's, whose
// model has all axes: here they have as many as an image with channels.
constexpr int kMostAxesOfGradients = 3;
constexpr std::size_t kOperation = kWholes + kMostAxesOfGradients * kOfAxis;

std::vector<Factor> factors_of_gradients() {
  std::vector<Factor> all = factors();
  all.resize(kOperation);
  all[kRank].levels.resize(kMostAxesOfGradients);
  all.push_back({"operation", {"CntkBackwardData", "CntkBackwardWeights"}});
  return all;
}

// As a row of the convolution's model.
Row with_all_axes(const Row& row) {
  Row all(row.begin(), row.begin() + kOperation);
  all.resize(kWholes + kMostAxes * kOfAxis);
  return all;
}

Problem gradient_for(const Row& row) {
  Problem problem = dense_problem_for(with_all_axes(row));
  problem.diff_dst = Tensor{reference::resolve(problem).value().dst.dims, {}};
  const auto a = std::get<CntkConvolutionAttributes>(problem.attributes);
  if (row[kOperation] == 0) {
    problem.attributes = CntkBackwardDataAttributes{a};
  } else {
    problem.attributes = CntkBackwardWeightsAttributes{a};
  }
  form::set_memory(row[kMemory], problem);
  return problem;
}

bool is_allowed_gradient(const Row& row) {
  return is_allowed_with(kMostAxesOfGradients, with_all_axes(row));
}

}  // namespace

FormModel cntk_model() { return form::model("cntk", factors(), problem_for, is_allowed); }

FormModel cntk_gradients_model() {
  FormModel made =
      form::model("cntk_gradients", factors_of_gradients(), gradient_for, is_allowed_gradient);
  made.is_late = true;
  return made;
}

}  // namespace concord::conformance
