// SPDX-License-Identifier: Apache-2.0
// Batches of images of a few pixels. There a library takes several axes for one, or pixels of
// several images for neighbours, and which ones it can depends on the windows of all axes, on the
// formats and on the gaps of each tensor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalog/draws.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/window.h"
#include "conformance/catalog/window_kinds.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// So that a case takes less than a millisecond.
constexpr Extent kMostProducts = 200'000;

enum class AxisKind {
  kPixel,        ///< whatever its stride
  kLeftOver,     ///< a single output, and pixels that no window has
  kRow,          ///< of single taps
  kStridedRow,   ///< of single taps
  kWhole,        ///< one window
  kPaddedPixel,  ///< windows of one pixel and padding
  kEdges,        ///< windows of which the outer ones meet padding, at one end or both
  kValid,        ///< windows that overlap, without padding
  kBlocks        ///< windows that do not
};
constexpr std::array kAxisWords = {"pixel",        "left-over", "row",   "strided-row", "whole",
                                   "padded-pixel", "edges",     "valid", "blocks"};

Window window_of(AxisKind kind, Random& random) {
  switch (kind) {
    case AxisKind::kPixel:
      return {.S = between(1, 3, random)};
    case AxisKind::kLeftOver: {
      const Extent K = between(1, 2, random), S = between(2, 3, random);
      return {.I = K + between(1, S - 1, random), .K = K, .S = S};
    }
    case AxisKind::kRow:
      return {.I = between(2, 7, random)};
    case AxisKind::kStridedRow: {
      const Extent S = between(2, 3, random);
      return {.I = between(S + 1, 7, random), .S = S};
    }
    case AxisKind::kWhole: {
      const Extent I = between(2, 4, random);
      return {.I = I, .K = I, .S = between(1, 2, random)};
    }
    case AxisKind::kPaddedPixel: {
      const Extent K = between(2, 3, random);
      return {.K = K, .begin = K - 2, .end = 1};
    }
    case AxisKind::kEdges: {
      const Extent K = one_of<Extent>({3, 3, 5, 7}, random), most = K / 2;
      const Extent begin = between(0, most, random), end = between(begin == 0, most, random);
      return {.I = between(std::max<Extent>(K - begin - end, 2), 13, random),
              .K = K,
              .begin = begin,
              .end = end};
    }
    case AxisKind::kValid: {
      const Extent K = between(2, 3, random);
      return {.I = between(K + 1, 6, random), .K = K};
    }
    case AxisKind::kBlocks: {
      const Extent K = between(2, 3, random);
      return {.I = 2 * K + between(0, 1, random), .K = K, .S = K};
    }
  }
  return {};
}

Extent products_of(const Surrounds& s, const std::vector<Window>& windows) {
  Extent products = s.N * s.G * s.ICG * s.OCG;
  for (const Window& w : windows) products *= w.K * ((w.I + w.begin + w.end - w.K) / w.S + 1);
  return products;
}

// Batches and channels below, at and above a vector and the pixels of a tile; single channels
// often, since with them other axes are neighbours.
void draw_sizes(Random& random, Surrounds& s) {
  s.N = one_of<Extent>({1, 2, 3, 5, 8, 15, 16, 17, 33}, random);
  s.G = random.below(4) > 0 ? between(1, 3, random) : between(4, 40, random);
  const bool is_depthwise = s.G > 3;
  s.ICG = is_depthwise ? 1 : one_of<Extent>({1, 1, 3, 16, 17, 32, 33, 64}, random);
  s.OCG = is_depthwise ? between(1, 2, random)
                       : one_of<Extent>({1, 1, 1, 5, 8, 16, 17, 24, 33, 48}, random);
}

Problem problem_of(const std::vector<AxisKind>& kinds, const WindowVariant& variant,
                   Random& random) {
  Surrounds s{.dtype = variant.dtype,
              .data_format = variant.data_format,
              .weights_format = random.below(2) == 0 ? WeightsFormat::kXIO : WeightsFormat::kOIX,
              .has_bias = random.below(2) == 0};
  std::vector<Window> windows;
  do {
    draw_sizes(random, s);
    windows.clear();
    for (const AxisKind kind : kinds) windows.push_back(window_of(kind, random));
  } while (products_of(s, windows) > kMostProducts);
  Problem problem = problem_of(s, windows);
  problem.dst = maybe_with_gap(reference::resolve(problem).value().dst.dims, random);
  problem.src = maybe_with_gap(problem.src.dims, random).value_or(problem.src);
  problem.weights = maybe_with_gap(problem.weights.dims, random).value_or(problem.weights);
  return problem;
}

// Images of single outputs are a matrix, or many; whether a library takes them for one depends on
// all that is drawn. Kinds on three axes are many.
std::size_t count_draws(const std::vector<AxisKind>& kinds) {
  const bool has_one_output = std::all_of(kinds.begin(), kinds.end(), [](AxisKind kind) {
    return kind == AxisKind::kPixel || kind == AxisKind::kLeftOver;
  });
  if (has_one_output) return 16;
  return kinds.size() == 3 ? 1 : 6;
}

// Smoke has each draw in one dtype, drawn.
void add_batches_of(const std::vector<AxisKind>& kinds, DataFormat format, Collector& collector,
                    Suite suite) {
  std::string windows;
  for (const AxisKind kind : kinds) {
    windows += fmt::format("{}-", kAxisWords[static_cast<std::size_t>(kind)]);
  }
  for (std::size_t draw = 1; draw <= count_draws(kinds); ++draw) {
    const std::string name = fmt::format("{}{}-{}", windows, draw, word_of(format));
    const Dtype of_smoke = kDtypes[Random(fnv1a(name)).below(kDtypes.size())];
    for (const Dtype dtype : kDtypes) {
      if ((dtype == of_smoke) != (suite == Suite::kSmoke)) continue;
      Random random(fnv1a(fmt::format("{}-{}", name, to_string(dtype))));
      const Problem problem = problem_of(kinds, {dtype, format}, random);
      collector.add({"batches", name, problem, "batches of small images", ""},
                    fill_by_turns(random.below(25)));
    }
  }
}

// Every combination of the kinds of `kinds` and of those of `axes` more axes.
void add_batches_of_axes(std::size_t axes, std::vector<AxisKind> kinds, Collector& collector,
                         Suite suite) {
  if (axes == 0) {
    for (const DataFormat format : {DataFormat::kNCX, DataFormat::kNXC}) {
      add_batches_of(kinds, format, collector, suite);
    }
    return;
  }
  kinds.emplace_back();
  for (std::size_t kind = 0; kind < kAxisWords.size(); ++kind) {
    kinds.back() = static_cast<AxisKind>(kind);
    add_batches_of_axes(axes - 1, kinds, collector, suite);
  }
}

}  // namespace

void add_batches(Collector& collector, Suite suite) {
  for (const std::size_t axes : {1U, 2U, 3U}) add_batches_of_axes(axes, {}, collector, suite);
}

}  // namespace concord::conformance
