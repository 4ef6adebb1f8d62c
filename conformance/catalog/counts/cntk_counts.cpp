// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/catalog/counts/form_counter.h"

namespace concord::conformance {
namespace {

constexpr Extent kMostStride = 8;

/// Of a CNTK convolution of an image with channels.
struct CntkCounts {
  Extent width = 7, height = 6, channels = 2, samples = 2, maps = 3;
  Extent kernel_width = 3, kernel_height = 2, stride_width = 1, stride_height = 1;
  Extent memory_bound = 0;
};

struct CntkCounted {
  std::string_view word;
  Extent CntkCounts::*member;
  std::vector<Extent> values{};
};

std::vector<CntkCounted> cntk_counted() {
  const auto many = numbers_to(kMostOfMany, {63, 64, 65});
  return {{"samples", &CntkCounts::samples, many},
          {"channels", &CntkCounts::channels, many},
          {"maps", &CntkCounts::maps, many},
          {"width", &CntkCounts::width, many},
          {"height", &CntkCounts::height, many},
          {"kernel-width", &CntkCounts::kernel_width, numbers_to(kMostTaps)},
          {"kernel-height", &CntkCounts::kernel_height, numbers_to(kMostTaps)},
          {"stride-width", &CntkCounts::stride_width, numbers_to(kMostStride)},
          {"stride-height", &CntkCounts::stride_height, numbers_to(kMostStride)}};
}

// Where an extent is counted its kernel is no longer; else it has room for three windows, and for
// what the last one leaves over.
void fit(bool is_counted, Extent stride, Extent& kernel, Extent& extent) {
  if (is_counted) {
    kernel = std::min(kernel, extent);
  } else {
    extent = std::max(extent, kernel + 2 * stride + stride - 1);
  }
}

bool is_along_width(Extent CntkCounts::*member) {
  return member == &CntkCounts::width || member == &CntkCounts::kernel_width;
}
bool is_along_height(Extent CntkCounts::*member) {
  return member == &CntkCounts::height || member == &CntkCounts::kernel_height;
}

CntkCounts cntk_counts(const CntkCounted& counted, Extent value, std::size_t turn) {
  constexpr Extent kMemoryBounds[] = {0, 1, 3, 7};
  CntkCounts n;
  n.maps = static_cast<Extent>(1 + turn % 3);
  n.samples = static_cast<Extent>(1 + turn / 2 % 2);
  n.memory_bound = kMemoryBounds[turn % std::size(kMemoryBounds)];
  n.*counted.member = value;
  constexpr Extent kStrideTurns = 4;
  const Extent stride = 1 + static_cast<Extent>(turn / 3) % kStrideTurns;
  if (is_along_width(counted.member)) n.stride_width = stride;
  if (is_along_height(counted.member)) n.stride_height = stride;
  fit(counted.member == &CntkCounts::width, n.stride_width, n.kernel_width, n.width);
  fit(counted.member == &CntkCounts::height, n.stride_height, n.kernel_height, n.height);
  return n;
}

enum class CntkVariant { kPadded, kValid, kUnshared, kUneven };
constexpr std::array kCntkVariants = {
    std::pair{"padded", CntkVariant::kPadded}, std::pair{"valid", CntkVariant::kValid},
    std::pair{"unshared", CntkVariant::kUnshared}, std::pair{"uneven", CntkVariant::kUneven}};

Problem cntk_problem(const CntkCounts& n, CntkVariant variant) {
  CntkConvolutionAttributes a;
  a.kernel = {n.kernel_width, n.kernel_height, n.channels};
  a.stride = {n.stride_width, n.stride_height, n.channels};
  const Extent is_padded = variant == CntkVariant::kPadded ? 1 : 0;
  a.auto_padding = {is_padded, is_padded, 0};
  if (variant == CntkVariant::kUneven) {
    // The system refuses padded windows that do not reach the end of the input.
    a.lower_pad = {1, 0, 0};
    a.upper_pad = {n.stride_width - 1, n.stride_height, 0};
  }
  Extent rows = n.maps;
  if (variant == CntkVariant::kUnshared) {
    a.sharing = {0, 1, 1};
    rows *= (n.width - n.kernel_width) / n.stride_width + 1;
  }
  a.map_count = {n.maps};
  a.max_temp_mem_size_in_samples = n.memory_bound;
  Problem problem;
  problem.src.dims = {n.width, n.height, n.channels, n.samples};
  problem.weights.dims = {rows, n.kernel_width * n.kernel_height * n.channels};
  problem.attributes = std::move(a);
  return problem;
}

Problem cntk_2d_problem(const CntkCounts& n, bool is_padded, CntkLayout layout) {
  CntkConvolution2dAttributes a;
  a.kernel_width = n.kernel_width;
  a.kernel_height = n.kernel_height;
  a.horizontal_stride = n.stride_width;
  a.vertical_stride = n.stride_height;
  a.zero_padding = is_padded ? 1 : 0;
  a.image_layout = layout;
  a.max_temp_mem_size_in_samples = n.memory_bound;
  Problem problem;
  problem.src.dims = layout == CntkLayout::kHwc ? Extents{n.channels, n.width, n.height, n.samples}
                                                : Extents{n.width, n.height, n.channels, n.samples};
  problem.weights.dims = {n.maps, n.kernel_width * n.kernel_height * n.channels};
  problem.attributes = a;
  return problem;
}

}  // namespace

void add_cntk_counts(FormCounter& counter) {
  for (const CntkCounted& counted : cntk_counted()) {
    for (const Extent value : counted.values) {
      const CntkCounts n = cntk_counts(counted, value, counter.turn() / 16);
      for (const auto& [variant_word, variant] : kCntkVariants) {
        for (const auto& [pass_word, pass] : kPasses) {
          Problem problem = cntk_problem(n, variant);
          const auto a = std::get<CntkConvolutionAttributes>(problem.attributes);
          make_gradient<CntkBackwardDataAttributes, CntkBackwardWeightsAttributes>(pass, a,
                                                                                   problem);
          counter.add("cntk_counts", counted.word, value,
                      fmt::format("{}-{}", variant_word, pass_word), problem, pass_word);
        }
      }
      for (const bool is_padded : {false, true}) {
        for (const CntkLayout layout : {CntkLayout::kCudnn, CntkLayout::kHwc}) {
          counter.add("cntk2d_counts", counted.word, value,
                      fmt::format("{}-{}", is_padded ? "padded" : "valid",
                                  layout == CntkLayout::kHwc ? "hwc" : "cudnn"),
                      cntk_2d_problem(n, is_padded, layout));
        }
      }
    }
  }
}

}  // namespace concord::conformance
