// SPDX-License-Identifier: Apache-2.0
// CNTK's 2-D convolution.
#include <algorithm>

#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

enum Index {
  kDtype,
  kReading,
  kLayout,
  kPadding,
  kSamples,
  kBound,
  kMemory,
  kMapCount,
  kMaps,
  kChannels,
  kWeights,
  kAxes  // kOfAxis factors of the width, then of the height
};
enum OfAxis { kKernel, kStride, kExtent, kOfAxis };

constexpr Extent kChannelCounts[] = {1, 2, 3, 4, 5, 8}, kBounds[] = {0, 1, 2, 9};

std::size_t place(int axis, OfAxis factor) {
  return static_cast<std::size_t>(kAxes + axis * kOfAxis + factor);
}

std::vector<Factor> factors() {
  const std::vector<std::string_view> channels = {"1", "2", "3", "4", "5", "8"};
  const std::vector<std::string_view> kernels = {"1", "2", "3", "4", "5"}, few = {"1", "2", "3"};
  const std::vector<std::string_view> extents = {"smallest", "few", "left_over", "more"};
  return {{"dtype", form::dtype_levels()},
          {"reading", {"implemented", "documented"}},
          {"layout", {"cudnn", "HWC"}},
          {"zero_padding", {"false", "true"}},
          {"samples", few},
          {"bound", {"none", "1", "2", "9"}},
          {"memory", form::kMemoryLevels},
          {"map_count", {"rows_of_weights", "number"}},
          {"maps", channels},
          {"channels", channels},
          {"weights", {"matrix", "one_row"}},
          {"kernel_width", kernels},
          {"stride_width", few},
          {"width", extents},
          {"kernel_height", kernels},
          {"stride_height", few},
          {"height", extents}};
}

// Only the system takes weights of another shape, and then their rows are no maps.
bool is_allowed(const Row& row) {
  if (row[kWeights] != 1) return true;
  return row[kReading] != 1 && form::may_be(row[kMapCount], 1);
}

// One window, a few, a few that leave a cell over if the stride lets them, more.
Extent extent_of(const Row& row, int axis) {
  const Extent kernel = row[place(axis, kKernel)] + 1, stride = row[place(axis, kStride)] + 1;
  const Extent few = kernel + (1 + axis) * stride;
  switch (row[place(axis, kExtent)]) {
    case 0:
      return kernel;
    case 1:
      return few;
    case 2:
      return few + (stride > 1 ? 1 : 0);
    default:
      return few + 5 * stride;
  }
}

Problem problem_for(const Row& row) {
  CntkConvolution2dAttributes a;
  a.kernel_width = row[place(0, kKernel)] + 1;
  a.kernel_height = row[place(1, kKernel)] + 1;
  a.horizontal_stride = row[place(0, kStride)] + 1;
  a.vertical_stride = row[place(1, kStride)] + 1;
  a.zero_padding = row[kPadding];
  a.max_temp_mem_size_in_samples = kBounds[row[kBound]];
  a.image_layout = row[kLayout] == 1 ? CntkLayout::kHwc : CntkLayout::kCudnn;
  const Extent maps = kChannelCounts[row[kMaps]], channels = kChannelCounts[row[kChannels]];
  if (row[kMapCount] == 1) a.map_count = maps;

  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  problem.reading = row[kReading] == 1 ? Reading::kDocumented : Reading::kImplemented;
  problem.src.dims = {extent_of(row, 0), extent_of(row, 1), channels, row[kSamples] + 1};
  if (row[kLayout] == 1) {
    std::rotate(problem.src.dims.begin(), problem.src.dims.begin() + 2,
                problem.src.dims.begin() + 3);
  }
  const Extent cells = a.kernel_width * a.kernel_height * channels;
  problem.weights.dims = row[kWeights] == 1 ? Extents{1, maps * cells} : Extents{maps, cells};
  problem.attributes = a;
  form::set_memory(row[kMemory], problem);
  return problem;
}

}  // namespace

FormModel cntk_2d_model() { return form::model("cntk2d", factors(), problem_for, is_allowed); }

}  // namespace concord::conformance
