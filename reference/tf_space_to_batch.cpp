// SPDX-License-Identifier: Apache-2.0
#include "reference/tf_space_to_batch.h"

#include <algorithm>
#include <string>

#include "reference/assignment.h"
#include "reference/wide.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

std::string shape(const Extents& src) { return "src=" + to_string(Tensor{src, {}}); }

bool countable(const Extents& dims) { return element_count(dims).has_value(); }

// kRank, and what the two operations check alike; `name` is that of the four paddings or crops.
std::optional<Refusal> check_operands(const Extents& src, Extent block_size, const char* name,
                                      const Extents& list) {
  if (src.size() != 4) {
    return Refusal{Fault::kRank,
                   shape(src) + ": " + std::to_string(src.size()) + " dimensions, not 4"};
  }
  if (!countable(src)) {
    return Refusal{Fault::kSize, shape(src) + ": an extent is negative or its elements overflow"};
  }
  if (block_size < 1) {
    return Refusal{Fault::kBlockSize, "block_size=" + std::to_string(block_size) + ": less than 1"};
  }
  if (list.size() != 4 || std::any_of(list.begin(), list.end(), [](Extent v) { return v < 0; })) {
    return Refusal{Fault::kPads, assignment(name, list) + ": not four values of at least 0"};
  }
  return std::nullopt;
}

// dims as they are if they are Extents and their product is countable, or kSize.
Result<Extents> counted(const Extents& src, std::initializer_list<Wide> dims) {
  Extents dst;
  for (const Wide extent : dims) {
    if (!fits(extent)) {
      return Refusal{Fault::kSize, shape(src) + ": an extent of dst overflows 64 bits"};
    }
    dst.push_back(static_cast<Extent>(extent));
  }
  if (!countable(dst)) {
    return Refusal{Fault::kSize, shape(src) + ": the elements of dst overflow 64 bits"};
  }
  return dst;
}

}  // namespace

BlockPaddings required_block_paddings(Extent height, Extent width, const Extents& base_paddings,
                                      Extent block_size) {
  const Extent padded_height = height + base_paddings[0] + base_paddings[1];
  const Extent padded_width = width + base_paddings[2] + base_paddings[3];
  const Extent below = (block_size - padded_height % block_size) % block_size;
  const Extent right = (block_size - padded_width % block_size) % block_size;
  return {.paddings = {base_paddings[0], base_paddings[1] + below, base_paddings[2],
                       base_paddings[3] + right},
          .crops = {0, below, 0, right}};
}

Result<Extents> resolve_space_to_batch(const Extents& src, const SpaceToBatchAttributes& a) {
  if (const auto refusal = check_operands(src, a.block_size, "paddings", a.paddings)) {
    return *refusal;
  }
  const Wide block = a.block_size;
  const Wide height = Wide{src[1]} + a.paddings[0] + a.paddings[1];
  const Wide width = Wide{src[2]} + a.paddings[2] + a.paddings[3];
  if (!fits(height) || !fits(width) || !fits(block * block)) {
    return Refusal{Fault::kSize, shape(src) + ": the padded image or the square of block_size=" +
                                     std::to_string(a.block_size) + " overflows 64 bits"};
  }
  if (height % block != 0 || width % block != 0) {
    return Refusal{Fault::kPads,
                   assignment("paddings", a.paddings) + ": " + shape(src) +
                       " padded is not a multiple of block_size=" + std::to_string(a.block_size)};
  }
  Extent batch = 0;
  if (__builtin_mul_overflow(src[0], static_cast<Extent>(block * block), &batch)) {
    return Refusal{Fault::kSize, shape(src) + ": the batches of dst overflow 64 bits"};
  }
  return counted(src, {batch, height / block, width / block, src[3]});
}

std::vector<double> evaluate_space_to_batch(const Extents& src, const SpaceToBatchAttributes& a,
                                            std::span<const double> values) {
  const Extent batch = src[0], height = src[1], width = src[2], depth = src[3];
  const Extent block = a.block_size, top = a.paddings[0], left = a.paddings[2];
  const Extent phase_height = (height + top + a.paddings[1]) / block;
  const Extent phase_width = (width + left + a.paddings[3]) / block;
  const Grid<4> src_grid{{batch, height, width, depth}};

  std::vector<double> dst;
  for (const auto [i, j, b, h, w, c] :
       Grid<6>{{block, block, batch, phase_height, phase_width, depth}}) {
    const Extent row = h * block + i - top, column = w * block + j - left;
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    dst.push_back(inside ? values[src_grid.offset({b, row, column, c})] : 0.0);
  }
  return dst;
}

Result<Extents> resolve_batch_to_space(const Extents& src, const BatchToSpaceAttributes& a) {
  if (const auto refusal = check_operands(src, a.block_size, "crops", a.crops)) return *refusal;
  const Wide block = a.block_size;
  if (src[0] % (block * block) != 0) {
    return Refusal{Fault::kBlockSize, "block_size=" + std::to_string(a.block_size) + ": " +
                                          shape(src) + " has a batch that its square divides not"};
  }
  const Wide height = src[1] * block - a.crops[0] - a.crops[1];
  const Wide width = src[2] * block - a.crops[2] - a.crops[3];
  if (height < 0 || width < 0) {
    return Refusal{Fault::kPads,
                   assignment("crops", a.crops) + ": more than the image has, " + shape(src)};
  }
  return counted(src, {src[0] / (block * block), height, width, src[3]});
}

std::vector<double> evaluate_batch_to_space(const Extents& src, const BatchToSpaceAttributes& a,
                                            std::span<const double> values) {
  const Extent block = a.block_size, batch = src[0] / (block * block), depth = src[3];
  const Extent height = src[1] * block - a.crops[0] - a.crops[1];
  const Extent width = src[2] * block - a.crops[2] - a.crops[3];
  const Grid<4> src_grid{{src[0], src[1], src[2], depth}};

  std::vector<double> dst;
  for (const auto [b, row, column, c] : Grid<4>{{batch, height, width, depth}}) {
    const Extent padded_row = row + a.crops[0], padded_column = column + a.crops[2];
    const Extent phase = (padded_row % block) * block + padded_column % block;
    dst.push_back(
        values[src_grid.offset({phase * batch + b, padded_row / block, padded_column / block, c})]);
  }
  return dst;
}

}  // namespace concord::reference
