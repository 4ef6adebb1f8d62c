// SPDX-License-Identifier: Apache-2.0
// space_to_batch, batch_to_space, and the atrous_conv2d that they are made for.
#include <algorithm>

#include "conformance/catalog/form_model.h"

namespace concord::conformance {
namespace {

namespace blocks {

enum Index { kOperation, kDtype, kBlock, kImages, kChannels, kMemory, kRows, kColumns, kEdges };

constexpr Extent kChannelCounts[] = {1, 2, 3, 4, 5, 8, 17};

std::vector<Factor> factors() {
  const std::vector<std::string_view> few = {"1", "2", "3", "4"};
  const std::vector<std::string_view> edge = {"0", "1", "2", "block", "beyond_block"};
  return {{"operation", {"SpaceToBatch", "BatchToSpace"}},
          {"dtype", form::dtype_levels()},
          {"block", {"1", "2", "3", "4", "5"}},
          {"images", {"1", "2", "3"}},
          {"channels", {"1", "2", "3", "4", "5", "8", "17"}},
          {"memory", form::kMemoryLevels},
          {"rows", few},
          {"columns", few},
          {"top", edge},
          {"bottom", edge},
          {"left", edge},
          {"right", edge}};
}

Extents edges_of(const Row& row, Extent block) {
  Extents edges;
  for (std::size_t i = 0; i < 4; ++i) {
    const int level = row[kEdges + i];
    edges.push_back(level < 3 ? level : block + level - 3);
  }
  return edges;
}

// The least number from `least` on that makes a multiple of block with the two edges.
Extent whole_blocks(Extent least, Extent edges, Extent block) {
  while ((least + edges) % block != 0) ++least;
  return least;
}

Problem problem_for(const Row& row) {
  const Extent block = row[kBlock] + 1, images = row[kImages] + 1;
  const Extent channels = kChannelCounts[row[kChannels]];
  const Extents edges = edges_of(row, block);
  // Of the image before the paddings or after the crops.
  const Extent H = whole_blocks(row[kRows] + 1, edges[0] + edges[1], block);
  const Extent W = whole_blocks(row[kColumns] + 1, edges[2] + edges[3], block);
  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  if (row[kOperation] == 0) {
    problem.attributes = SpaceToBatchAttributes{block, edges};
    problem.src.dims = {images, H, W, channels};
  } else {
    problem.attributes = BatchToSpaceAttributes{block, edges};
    problem.src.dims = {images * block * block, (H + edges[0] + edges[1]) / block,
                        (W + edges[2] + edges[3]) / block, channels};
  }
  form::set_memory(row[kMemory], problem);
  return problem;
}

}  // namespace blocks

namespace atrous {

enum Index {
  kDtype,
  kReading,
  kPadding,
  kRate,
  kImages,
  kIC,
  kOC,
  kMemory,
  kFilterHeight,
  kFilterWidth,
  kHeight,
  kWidth
};

constexpr Extent kRates[] = {1, 2, 3, 4, 7}, kChannelCounts[] = {1, 2, 3, 4, 5, 8};

std::vector<Factor> factors() {
  const std::vector<std::string_view> channels = {"1", "2", "3", "4", "5", "8"};
  const std::vector<std::string_view> filter = {"1", "2", "3", "4", "5"};
  const std::vector<std::string_view> extent = {"smallest", "one_more", "whole_blocks", "more"};
  return {{"dtype", form::dtype_levels()},
          {"reading", {"implemented", "documented"}},
          {"padding", {"SAME", "VALID"}},
          {"rate", {"1", "2", "3", "4", "7"}},
          {"images", {"1", "2", "3"}},
          {"in_channels", channels},
          {"out_channels", channels},
          {"memory", form::kMemoryLevels},
          {"filter_height", filter},
          {"filter_width", filter},
          {"height", extent},
          {"width", extent}};
}

// The least image some window of which, padded as SAME does, has a tap on a pixel: the taps lie
// `rate` apart, from (filter - 1) * rate / 2 before the first pixel on.
Extent same_sees_input_from(Extent filter, Extent rate) {
  const Extent off = (filter - 1) * rate / 2 % rate;
  return 1 + std::min(off, rate - off);
}

// SAME begins at one pixel, or where a tap meets one; VALID at the filter's extent, and at one
// output of the printed shape, which subtracts `printed`.
Extent extent_of(const Row& row, int level, Extent filter, Extent printed) {
  const Extent rate = kRates[row[kRate]];
  Extent least = same_sees_input_from(filter, rate);
  if (row[kPadding] == 1) least = std::max((filter - 1) * rate, printed) + 1;
  switch (level) {
    case 0:
      return least;
    case 1:
      return least + 1;
    case 2:
      return (least + rate + 1) / rate * rate;
    default:
      return least + 2 * rate + 1;
  }
}

Problem problem_for(const Row& row) {
  const Extent height = row[kFilterHeight] + 1, width = row[kFilterWidth] + 1;
  const bool documented = row[kReading] == 1;
  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  problem.reading = documented ? Reading::kDocumented : Reading::kImplemented;
  problem.attributes = AtrousConv2dAttributes{
      kRates[row[kRate]], row[kPadding] == 1 ? TfPadding::kValid : TfPadding::kSame, ""};
  const Extent IC = kChannelCounts[row[kIC]], OC = kChannelCounts[row[kOC]];
  problem.src.dims = {row[kImages] + 1,
                      extent_of(row, row[kHeight], height, documented ? 2 * (width - 1) : 0),
                      extent_of(row, row[kWidth], width, documented ? 2 * (height - 1) : 0), IC};
  problem.weights.dims = {height, width, IC, OC};
  form::set_memory(row[kMemory], problem);
  return problem;
}

}  // namespace atrous

bool is_anything(const Row&) { return true; }

}  // namespace

FormModel blocks_model() {
  return form::model("blocks", blocks::factors(), blocks::problem_for,
                     [](const Row& row) {  // there are no weights
                       return row[blocks::kMemory] != form::kWeightsGaps;
                     });
}

FormModel atrous_model() {
  return form::model("atrous", atrous::factors(), atrous::problem_for, is_anything);
}

}  // namespace concord::conformance
