// SPDX-License-Identifier: Apache-2.0
// The continuous layer and its gradients, of every two kinds of axes. Outputs a whole number of
// scales apart, a phase, share their weights. A library computes phases of many outputs otherwise
// than single outputs, and stages rows by periods of phases: which way it goes depends on the
// extents, scales and sizes of both axes, on the channels, and on the gaps of each tensor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "conformance/catalog/continuous_axis.h"
#include "conformance/catalog/draws.h"
#include "conformance/catalog/families.h"
#include "conformance/fill/fill.h"
#include "reference/continuous.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// Multiplications of the net at all neighbours, and of its weights: a few milliseconds.
constexpr Extent kMostWork = 200'000;
constexpr std::size_t kDrawsOfFull = 4;

enum class LayerKind { kLayer, kData, kTheta, kGrid, kKernelWeights };
constexpr std::array kLayerWords = {"layer", "data", "theta", "grid", "weights"};

enum class AxisKind {
  kSame,       ///< of scale 1
  kUp,         ///< several outputs a pixel
  kDown,       ///< several pixels an output
  kRational,   ///< small parts, neither of which is 1
  kPeriods,    ///< about a whole number of periods of outputs
  kFewOfMany,  ///< more phases than outputs
  kBeyond,     ///< outputs that see beyond the image
  kMiddle      ///< outputs that see its middle alone
};
constexpr std::array kAxisWords = {"same",    "up",          "down",   "rational",
                                   "periods", "few-of-many", "beyond", "middle"};

struct Axis {
  Extent in = 1, K = 1;
  Rational scale{1};
  std::optional<Extent> out{};  ///< none: by the scale
};

Axis axis_of(AxisKind kind, Random& random) {
  const Extent K = random.below(8) > 0 ? between(1, 5, random) : between(6, 9, random);
  switch (kind) {
    case AxisKind::kSame:
      return {.in = between(1, 40, random), .K = K};
    case AxisKind::kUp:
      return {.in = between(1, 20, random), .K = K, .scale = between(2, 6, random)};
    case AxisKind::kDown: {
      const Extent l = between(2, 5, random);
      return {.in = between(l, 18 * l, random), .K = K, .scale = {1, l}};
    }
    case AxisKind::kRational: {
      const Extent k = between(2, 7, random), l = k + between(1, 4, random);
      const Rational scale(k, l);
      return {
          .in = between(2, 30, random), .K = K, .scale = random.below(2) == 0 ? scale : 1 / scale};
    }
    case AxisKind::kPeriods: {
      const Extent k = between(1, 17, random), l = between(1, 17, random);
      const Extent out = k * between(1, 17, random) + between(-1, 1, random);
      return {.in = std::max<Extent>(out * l / k, 1),
              .K = K,
              .scale = {k, l},
              .out = std::max<Extent>(out, 1)};
    }
    case AxisKind::kFewOfMany: {
      constexpr Extent kParts[] = {37, 1001, 65'537, 1'048'573};
      const Extent k = one_of(kParts, random);
      return {.in = between(1, 20, random), .K = K, .scale = {k, k + between(1, 9, random)}};
    }
    case AxisKind::kBeyond: {
      const Rational scale(between(1, 4, random), between(1, 4, random));
      const Extent in = between(1, 6, random);
      return {
          .in = in, .K = K, .scale = scale, .out = (scale * in).ceil() + between(1, 20, random)};
    }
    case AxisKind::kMiddle: {
      const Rational scale(between(1, 4, random), between(1, 4, random));
      const Extent in = between(8, 40, random), most = (scale * in).ceil();
      return {.in = in, .K = K, .scale = scale, .out = between(1, most, random)};
    }
  }
  return {};
}

// Channels below, at and above a vector; single ones often, since with them other axes are
// neighbours. One problem in sixteen has a result without elements, where another would have zeros
// alone.
struct Sizes {
  Extent N = 1, Cin = 1, Cout = 1;
};
Sizes draw_sizes(LayerKind layer, Random& random) {
  Sizes sizes{one_of<Extent>({1, 1, 2, 3}, random),
              one_of<Extent>({1, 1, 2, 3, 5, 8, 15, 16, 17}, random),
              one_of<Extent>({1, 1, 2, 3, 4, 8, 15, 16, 17, 33}, random)};
  // A gradient by the grid sums up all pairs of channels: of many, bf16 shows little.
  if (layer == LayerKind::kGrid) sizes.Cout = std::min<Extent>(sizes.Cout, 8);
  if (random.below(16) > 0) return sizes;
  if (layer == LayerKind::kLayer) *one_of({&sizes.N, &sizes.Cout}, random) = 0;
  if (layer == LayerKind::kData) *one_of({&sizes.N, &sizes.Cin}, random) = 0;
  if (layer == LayerKind::kKernelWeights) *one_of({&sizes.Cin, &sizes.Cout}, random) = 0;
  return sizes;
}

void draw_function(LayerKind layer, Random& random, ContinuousAttributes& a) {
  // The cubic has no parameters to differentiate by, and often hardly a gradient by the grid.
  const bool has_cubic = layer != LayerKind::kTheta && layer != LayerKind::kGrid;
  do {
    a.function = static_cast<KernelFunction>(random.below(kWords<KernelFunction>.size()));
  } while (!has_cubic && a.function == KernelFunction::kKeys);
  a.widths = {between(1, 8, random), between(1, 8, random)};
  // Of slope 0, a few hidden outputs would often have no gradient.
  const bool has_slope = layer == LayerKind::kTheta || layer == LayerKind::kGrid;
  a.slope = one_of<Rational>({{1, 100}, {5, 4}, {-1, 2}, {has_slope ? 1 : 0, 2}}, random);
  a.ties = static_cast<Ties>(random.below(kWords<Ties>.size()));
  a.boundary = static_cast<Boundary>(random.below(kWords<Boundary>.size()));
}

Extent work_of(const reference::ContinuousGeometry& g, const ContinuousAttributes& a) {
  const Extent pairs = std::max<Extent>(g.Cin, 1) * std::max<Extent>(g.Cout, 1);
  const Extent net = a.widths[0] * (2 + a.widths[1]) + a.widths[1] * pairs;
  return g.vertical.out * g.horizontal.out * g.slots() * (net + pairs * g.N);
}

Attributes operation_of(LayerKind layer, const ContinuousAttributes& a) {
  switch (layer) {
    case LayerKind::kLayer:
      return a;
    case LayerKind::kData:
      return ContinuousBackwardDataAttributes{a};
    case LayerKind::kTheta:
      return ContinuousBackwardWeightsAttributes{a};
    case LayerKind::kGrid:
      return ContinuousBackwardGridAttributes{a};
    case LayerKind::kKernelWeights:
      return ContinuousBackwardKernelAttributes{a};
  }
  return a;
}

// Nothing if it takes too long, or if no output has a pixel for its neighbour.
std::optional<Problem> draw_problem(LayerKind layer, AxisKind height, AxisKind width, Dtype dtype,
                                    Random& random) {
  const Sizes sizes = draw_sizes(layer, random);
  const Axis rows = axis_of(height, random), columns = axis_of(width, random);
  ContinuousAttributes a{.scale_h = rows.scale,
                         .scale_w = columns.scale,
                         .kernel = {rows.K, columns.K},
                         .channels = sizes.Cout};
  draw_function(layer, random, a);
  if (rows.out || columns.out) {
    a.size = {rows.out.value_or((rows.scale * rows.in).ceil()),
              columns.out.value_or((columns.scale * columns.in).ceil())};
  }
  Problem problem;
  problem.dtype = dtype;
  problem.src.dims = {sizes.N, sizes.Cin, rows.in, columns.in};
  problem.weights.dims = {*reference::parameters_of(sizes.Cin, a)};
  const auto g =
      reference::resolve_continuous(problem.src.dims, problem.weights.dims[0], a).value();
  if (work_of(g, a) > kMostWork || !sees_input(g.vertical) || !sees_input(g.horizontal)) {
    return std::nullopt;
  }
  problem.attributes = operation_of(layer, a);
  if (layer != LayerKind::kLayer) {
    problem.diff_dst = maybe_with_gap(g.dst(), random).value_or(Tensor{g.dst(), {}});
  }
  problem.dst = maybe_with_gap(reference::resolve(problem).value().dst.dims, random);
  problem.src = maybe_with_gap(problem.src.dims, random).value_or(problem.src);
  return problem;
}

// What judges each output by all its products, where sums can be exact.
Fill fill_of(const Problem& problem, Random& random) {
  constexpr Fill kFills[] = {Fill::kIntegers, Fill::kIntegers, Fill::kUniform,
                             Fill::kImpulse,  Fill::kRamp,     Fill::kSpecial};
  const bool has_exact_data = reference::resolve(problem).value().has_exact_data;
  const Fill fill = has_exact_data ? one_of(kFills, random) : Fill::kUniform;
  return why_no_fill(fill, problem) ? Fill::kUniform : fill;
}

void add_phases_of(LayerKind layer, AxisKind height, AxisKind width, Collector& collector,
                   Suite suite) {
  const auto word = [](const auto& words, auto kind) {
    return words[static_cast<std::size_t>(kind)];
  };
  const std::string name = fmt::format("{}-{}-{}", word(kLayerWords, layer),
                                       word(kAxisWords, height), word(kAxisWords, width));
  Random of_name(fnv1a(name));
  const Dtype of_smoke = one_of(kCommonDtypes, of_name);
  for (std::size_t draw = 1; draw <= kDrawsOfFull; ++draw) {
    for (const Dtype dtype : kCommonDtypes) {
      const bool is_of_smoke = draw == 1 && dtype == of_smoke;
      if (is_of_smoke != (suite == Suite::kSmoke)) continue;
      Random random(fnv1a(fmt::format("{}-{}-{}", name, draw, to_string(dtype))));
      std::optional<Problem> problem;
      while (!problem) problem = draw_problem(layer, height, width, dtype, random);
      collector.add({"phases", fmt::format("{}-{}", name, draw), *problem, "kinds of axes", ""},
                    fill_of(*problem, random));
    }
  }
}

}  // namespace

void add_phases(Collector& collector, Suite suite) {
  for (std::size_t layer = 0; layer < kLayerWords.size(); ++layer) {
    for (std::size_t height = 0; height < kAxisWords.size(); ++height) {
      for (std::size_t width = 0; width < kAxisWords.size(); ++width) {
        add_phases_of(static_cast<LayerKind>(layer), static_cast<AxisKind>(height),
                      static_cast<AxisKind>(width), collector, suite);
      }
    }
  }
}

}  // namespace concord::conformance
