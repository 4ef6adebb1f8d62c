// SPDX-License-Identifier: Apache-2.0
// Tensors without elements: no images, no channels, or an axis of src that padding alone gives
// outputs. Loops then end before they begin, sizes and strides divide by nothing, and an axis may
// look as if it had one pixel.
#include <fmt/format.h>

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

enum class Empty { kImages, kInputChannels, kOutputChannels, kAxis, kImagesAndAxis };
constexpr std::array kEmptyWords = {"images", "input-channels", "output-channels", "axis",
                                    "images-and-axis"};
constexpr std::size_t kAxesOfBias = 3, kAxesWithout = 4;

bool has_outputs(Empty empty) { return empty == Empty::kInputChannels || empty == Empty::kAxis; }

Window window_of_some(Random& random) {
  const Extent K = between(1, 3, random), D = between(1, 2, random);
  return {.I = (K - 1) * D + between(1, 4, random),
          .K = K,
          .S = between(1, 2, random),
          .D = D,
          .begin = between(0, 1, random),
          .end = between(0, 1, random)};
}

// Half of them have one output.
Window window_of_padding(Random& random) {
  const Extent K = one_of<Extent>({1, 1, 2}, random), pads = K + one_of<Extent>({0, 0, 1}, random);
  const Extent begin = between(0, pads, random);
  return {.I = 0, .K = K, .S = between(1, 2, random), .begin = begin, .end = pads - begin};
}

Problem empty_problem(Empty empty, std::size_t axes, const WindowVariant& variant, Random& random) {
  // Sums of nothing tell something by their bias alone.
  Surrounds s{
      .is_convolution1 = !has_outputs(empty) && (axes > kAxesOfBias || random.below(2) == 0),
      .dtype = variant.dtype,
      .data_format = variant.data_format,
      .weights_format = random.below(2) == 0 ? WeightsFormat::kXIO : WeightsFormat::kOIX,
      .N = between(1, 3, random),
      .G = between(1, 3, random),
      .ICG = one_of<Extent>({1, 2, 5, 16}, random),
      .OCG = one_of<Extent>({3, 5, 16, 17}, random)};
  s.has_bias = has_outputs(empty) || (!s.is_convolution1 && random.below(2) == 0);
  std::vector<Window> windows;
  for (std::size_t axis = 0; axis < axes; ++axis) windows.push_back(window_of_some(random));
  if (empty == Empty::kImages || empty == Empty::kImagesAndAxis) s.N = 0;
  if (empty == Empty::kInputChannels) s.ICG = 0;
  if (empty == Empty::kOutputChannels) s.OCG = 0;
  if (empty == Empty::kAxis || empty == Empty::kImagesAndAxis) {
    windows[random.below(axes)] = window_of_padding(random);
  }
  Problem problem = problem_of(s, windows);
  problem.dst = maybe_with_gap(reference::resolve(problem).value().dst.dims, random);
  problem.src = maybe_with_gap(problem.src.dims, random).value_or(problem.src);
  problem.weights = maybe_with_gap(problem.weights.dims, random).value_or(problem.weights);
  return problem;
}

}  // namespace

void add_empty(Collector& collector, Suite suite) {
  constexpr std::size_t kDraws = 5;
  for (std::size_t i = 0; i < kEmptyWords.size(); ++i) {
    const auto empty = static_cast<Empty>(i);
    const std::size_t most_axes = has_outputs(empty) ? kAxesOfBias : kAxesWithout;
    for (std::size_t axes = 1; axes <= most_axes; ++axes) {
      for (const DataFormat format : {DataFormat::kNCX, DataFormat::kNXC}) {
        for (std::size_t draw = 1; draw <= kDraws; ++draw) {
          const std::string name =
              fmt::format("{}-{}d-{}-{}", kEmptyWords[i], axes, draw, word_of(format));
          const Dtype drawn = kDtypes[Random(fnv1a(name)).below(kDtypes.size())];
          for (const Dtype dtype : kDtypes) {
            const bool is_of_smoke =
                (draw == 1 && dtype == Dtype::kF32) || (draw == 2 && dtype == drawn);
            if (is_of_smoke != (suite == Suite::kSmoke)) continue;
            Random random(fnv1a(fmt::format("{}-{}", name, to_string(dtype))));
            const Problem problem = empty_problem(empty, axes, {dtype, format}, random);
            collector.add({"empty", name, problem, "tensors without elements", ""},
                          fill_by_turns(random.below(25)));
          }
        }
      }
    }
  }
}

}  // namespace concord::conformance
