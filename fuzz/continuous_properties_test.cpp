// SPDX-License-Identifier: Apache-2.0
// The properties of the continuous layer hold for the engine, whichever way it takes, and for the
// reference; and each of them rejects layers that are wrong in the way that it is about.
#include "fuzz/continuous_properties.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "spec/grid.h"

namespace concord::fuzz {
namespace {

using optimized::ContinuousWay;
using Values = std::vector<double>;

Values by_way(const Layer& layer, ContinuousWay way) {
  optimized::ContinuousOptions options;
  options.way = way;
  return run_layer(layer, options);
}
Values by_tiles(const Layer& layer) { return by_way(layer, ContinuousWay::kTiles); }
Values by_phases(const Layer& layer) { return by_way(layer, ContinuousWay::kPhases); }
Values by_reference(const Layer& layer) {
  return evaluate_continuous(geometry_of(layer), layer.src, layer.theta).value;
}

struct Named {
  const char* name;
  LayerProperty property;
};
const Named kProperties[] = {
    {"StridesAtOneOverK", strides_at_one_over_k},
    {"IsSameAtScaleOne", is_same_at_scale_one},
    {"RepeatsWithTheNumerator", repeats_with_the_numerator},
    {"Mirrors", mirrors},
    {"Shifts", shifts},
    {"SamplesOneFunction", samples_one_function},
    {"SumsBoxes", sums_boxes},
    {"KeepsConstants", keeps_constants},
    {"OrdersPlaces", orders_places},
};

class ContinuousLayer : public testing::TestWithParam<Named> {};

TEST_P(ContinuousLayer, HasTheProperty) {
  EXPECT_TRUE(rc::check(GetParam().name, [](std::uint32_t seed) {
    const Layer layer = draw_exact_layer(seed);
    RC_ASSERT(GetParam().property(layer, by_tiles));
    RC_ASSERT(GetParam().property(layer, by_phases));
    RC_ASSERT(GetParam().property(layer, by_reference));
  }));
}

INSTANTIATE_TEST_SUITE_P(, ContinuousLayer, testing::ValuesIn(kProperties),
                         [](const auto& test) { return test.param.name; });

// How many of 60 layers, the same on every run, show that the evaluator is wrong.
int rejections(LayerProperty property, const LayerEvaluator& evaluate) {
  int count = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto layers = rc::gen::exec([seed] { return draw_exact_layer(seed); });
    if (!property(layers(rc::Random(seed), rc::kNominalSize).value(), evaluate)) ++count;
  }
  return count;
}

// Changes the layer, not its shapes, then computes it in tiles.
LayerEvaluator mutant(void (*change)(Layer&)) {
  return [change](const Layer& layer) {
    Layer changed = layer;
    const Extents dst = geometry_of(layer).dst();
    changed.attributes.size = {dst[2], dst[3]};
    change(changed);
    return by_tiles(changed);
  };
}

// The nearest other fraction that a rounding of the scale might give.
void round_the_scale(Layer& layer) {
  ContinuousAttributes& a = layer.attributes;
  a.scale_h = Rational(8 * a.scale_h.numerator(), 8 * a.scale_h.denominator() + 1);
}

void swap_the_axes_of_distances(Layer& layer) {
  if (layer.theta.empty()) return;
  for (Extent row = 0; row < layer.attributes.widths[0]; ++row) {
    const auto at = static_cast<std::size_t>(2 * row);
    std::swap(layer.theta[at], layer.theta[at + 1]);
  }
}

void read_taps_backwards(Layer& layer) {
  if (layer.theta.empty()) return;
  for (Extent i = 0; i < 2 * layer.attributes.widths[0]; ++i) {
    double& coefficient = layer.theta[static_cast<std::size_t>(i)];
    coefficient = -coefficient;
  }
}

void lose_ties(Layer& layer) {
  if (layer.attributes.function == KernelFunction::kNet) layer.attributes.ties = Ties::kOpen;
}

void prefer_one_side(Layer& layer) {
  if (layer.attributes.function == KernelFunction::kNet) layer.attributes.ties = Ties::kHalfOpen;
}

void lose_the_last_row_of_places(Layer& layer) {
  if (layer.attributes.function == KernelFunction::kNetK) return;
  layer.attributes.kernel[0] = std::max<Extent>(layer.attributes.kernel[0] - 1, 1);
}

void change_theta_with_the_scale(Layer& layer) {
  if (layer.theta.empty()) return;
  layer.theta.back() += static_cast<double>(layer.attributes.scale_h.numerator());
}

void repeat_the_border(Layer& layer) {
  if (layer.attributes.boundary == Boundary::kZero) {
    layer.attributes.boundary = Boundary::kReplicate;
  }
}

void pad_with_zeros(Layer& layer) { layer.attributes.boundary = Boundary::kZero; }

// The last biases as if they were [Cin,Cout] or [K,Cout,Cin].
void transpose_the_outputs(Layer& layer) {
  if (layer.attributes.function == KernelFunction::kKeys) return;
  const reference::ContinuousGeometry g = geometry_of(layer);
  const Extent K = g.net.C_final / (g.Cout * g.Cin);
  const Grid<3> grid{{g.Cout, g.Cin, K}};
  const auto begin = layer.theta.end() - g.net.C_final;
  const Values biases(begin, layer.theta.end());
  auto to = begin;
  for (const auto [k, ci, co] : Grid<3>{{K, g.Cin, g.Cout}}) {
    *to++ = biases[grid.offset({co, ci, k})];
  }
}

// Puts the grid of the short formula, n/s + (1/s - 1)/2, in place of Eq. 2's: where out is not
// s * in they differ. Here by one output more, the last being dropped: half a step to the left.
Values on_an_unsymmetric_grid(const Layer& layer) {
  Layer wider = layer;
  const Extents dst = geometry_of(layer).dst();
  wider.tensors.dst.reset();
  wider.attributes.size = {dst[2] + 1, dst[3]};
  const Grid<4> from{{dst[0], dst[1], dst[2] + 1, dst[3]}};
  const Values all = by_tiles(wider);
  Values values;
  for (const auto& index : Grid<4>{{dst[0], dst[1], dst[2], dst[3]}}) {
    values.push_back(all[from.offset(index)]);
  }
  return values;
}

// Outputs of a period in another order, as if phases were put back the wrong way round.
Values with_phases_swapped(const Layer& layer) {
  Values values = by_tiles(layer);
  const Extents dst = geometry_of(layer).dst();
  const Grid<4> grid{{dst[0], dst[1], dst[2], dst[3]}};
  if (dst[2] < 2) return values;
  for (const auto [n, c, j] : Grid<3>{{dst[0], dst[1], dst[3]}}) {
    std::swap(values[grid.offset({n, c, 0, j})], values[grid.offset({n, c, 1, j})]);
  }
  return values;
}

struct Wrong {
  const char* name;
  LayerProperty property;
  LayerEvaluator evaluate;
};
std::vector<Wrong> wrongs() {
  return {
      {"StridesAtOneOverK/backwards", strides_at_one_over_k, mutant(read_taps_backwards)},
      {"StridesAtOneOverK/ties", strides_at_one_over_k, mutant(lose_ties)},
      {"StridesAtOneOverK/grid", strides_at_one_over_k, on_an_unsymmetric_grid},
      {"IsSameAtScaleOne/axes", is_same_at_scale_one, mutant(swap_the_axes_of_distances)},
      {"IsSameAtScaleOne/border", is_same_at_scale_one, mutant(repeat_the_border)},
      {"IsSameAtScaleOne/outputs", is_same_at_scale_one, mutant(transpose_the_outputs)},
      {"RepeatsWithTheNumerator/scale", repeats_with_the_numerator, mutant(round_the_scale)},
      {"RepeatsWithTheNumerator/border", repeats_with_the_numerator, mutant(pad_with_zeros)},
      {"RepeatsWithTheNumerator/phases", repeats_with_the_numerator, with_phases_swapped},
      {"Mirrors/grid", mirrors, on_an_unsymmetric_grid},
      {"Mirrors/side", mirrors, mutant(prefer_one_side)},
      {"Shifts/scale", shifts, mutant(round_the_scale)},
      {"Shifts/phases", shifts, with_phases_swapped},
      {"SamplesOneFunction/grid", samples_one_function, on_an_unsymmetric_grid},
      {"SamplesOneFunction/theta", samples_one_function, mutant(change_theta_with_the_scale)},
      {"SumsBoxes/places", sums_boxes, mutant(lose_the_last_row_of_places)},
      {"SumsBoxes/ties", sums_boxes, mutant(lose_ties)},
      {"SumsBoxes/grid", sums_boxes, on_an_unsymmetric_grid},
      {"KeepsConstants/places", keeps_constants, mutant(lose_the_last_row_of_places)},
      {"KeepsConstants/border", keeps_constants, mutant(pad_with_zeros)},
      {"OrdersPlaces/outputs", orders_places, mutant(transpose_the_outputs)},
  };
}

TEST(ContinuousMutants, EachIsRejectedByThePropertyOfItsFamily) {
  for (const Wrong& wrong : wrongs()) {
    EXPECT_GE(rejections(wrong.property, wrong.evaluate), 3) << wrong.name;
  }
}

}  // namespace
}  // namespace concord::fuzz
