// SPDX-License-Identifier: Apache-2.0
// The gradients of the continuous layer: the engine and the reference agree.
#include "optimized/operations/continuous_gradient.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>

#include "fuzz/continuous_runs.h"
#include "fuzz/tensor_bytes.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using Values = std::vector<double>;

using optimized::GradientWay;

struct Gradients {
  Values src, theta;
  Values grid;  // empty by phases
};

// The cubic of Keys has no gradients by phases.
std::vector<GradientWay> ways_of(const Layer& layer) {
  if (layer.attributes.function == KernelFunction::kKeys) return {GradientWay::kFeatures};
  return {GradientWay::kFeatures, GradientWay::kPhases};
}

Gradients engine_gradients(const Layer& layer, const Values& delta, int threads, GradientWay way) {
  const auto shape = infer_continuous(layer.tensors, layer.attributes);
  CONCORD_CHECK(static_cast<bool>(shape)) << shape.why().detail;
  const Dtype dtype = shape->dtype;
  const auto src = bytes_of(dtype, shape->src, layer.src);
  const auto theta = bytes_of(dtype, shape->theta, layer.theta);
  const auto diff_dst = bytes_of(dtype, shape->dst, delta);
  optimized::Options options;
  options.threads = threads;

  Gradients result;
  const auto to_src = plan_input_gradient(*shape, layer.tensors.src, options, way);
  CONCORD_CHECK(static_cast<bool>(to_src)) << to_src.why().detail;
  std::vector<std::byte> workspace(to_src->workspace_bytes, std::byte{0xFF});
  auto diff_src = bytes_of(dtype, to_src->diff_src, Values(layer.src.size(), NAN));
  execute_input_gradient(*to_src, theta.data(), diff_dst.data(), diff_src.data(), workspace.data());
  result.src = read_tensor(dtype, to_src->diff_src, diff_src.data());

  const auto to_theta = plan_theta_gradient(*shape, options, way);
  CONCORD_CHECK(static_cast<bool>(to_theta)) << to_theta.why().detail;
  workspace.assign(to_theta->workspace_bytes, std::byte{0xFF});
  auto diff_theta = bytes_of(dtype, shape->theta, Values(layer.theta.size(), NAN));
  const bool has_grid = way == GradientWay::kFeatures;
  result.grid.assign(has_grid ? static_cast<std::size_t>(2 * shape->outputs()) : 0, NAN);
  execute_theta_gradient(*to_theta, src.data(), theta.data(), diff_dst.data(), shape->theta,
                         diff_theta.data(), has_grid ? result.grid.data() : nullptr,
                         workspace.data());
  result.theta = read_tensor(dtype, shape->theta, diff_theta.data());
  return result;
}

Extent outputs_of(const Layer& layer) { return *element_count(geometry_of(layer).dst()); }

// Both sides compute in f64: what is exact there is equal.
RC_GTEST_PROP(ContinuousGradients, AreTheReferencesBitForBitOnDyadicData, (std::uint32_t seed)) {
  const Layer layer = draw_exact_layer(seed);
  const Values delta = integers(outputs_of(layer), seed + 7);
  const auto want = continuous_gradients(geometry_of(layer), layer.src, layer.theta, delta);
  const auto rounded = [](Values values) {
    for (double& value : values) value = round_to(Dtype::kF32, value);
    return values;
  };
  for (const GradientWay way : ways_of(layer)) {
    const Gradients got = engine_gradients(layer, delta, *rc::gen::inRange(1, 4), way);
    RC_ASSERT(got.src == rounded(want.src.value));
    RC_ASSERT(got.theta == rounded(want.theta.value));
    RC_ASSERT(got.grid.empty() || got.grid == want.grid.value);
  }
}

// Neither of two values in f64 is exact. Their sums have some thousand terms, so that they differ
// by some 1e-13 of the largest, where one rounding to f32 would be 1e-7.
bool close(const Values& got, const Values& want, Dtype dtype) {
  double largest = 1;
  for (const double value : want) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double slack = 1e-11 * largest;
    const bool inside =
        got[i] >= round_to(dtype, want[i] - slack) && got[i] <= round_to(dtype, want[i] + slack);
    if (!inside) return false;
  }
  return got.size() == want.size();
}

RC_GTEST_PROP(ContinuousGradients, AreTheReferencesRoundedOnceOnReals, (std::uint32_t seed)) {
  Layer layer = draw_layer();
  const Dtype dtype = layer.tensors.dtype;
  layer.src = reals(*element_count(layer.tensors.src.dims), dtype, seed);
  layer.theta = reals(layer.tensors.theta.dims[0], dtype, seed + 1);
  const Values delta = reals(outputs_of(layer), dtype, seed + 2);
  const auto want = continuous_gradients(geometry_of(layer), layer.src, layer.theta, delta);
  for (const GradientWay way : ways_of(layer)) {
    const Gradients got = engine_gradients(layer, delta, 1, way);
    RC_ASSERT(close(got.src, want.src.value, dtype));
    RC_ASSERT(close(got.theta, want.theta.value, dtype));
    // In f64 on both sides, so never rounded.
    for (std::size_t i = 0; i < got.grid.size(); ++i) {
      RC_ASSERT(std::fabs(got.grid[i] - want.grid.value[i]) <=
                1e-9 * (1 + std::fabs(want.grid.value[i])));
    }
  }
}

RC_GTEST_PROP(ContinuousGradients, HaveTheSameBitsForAnyNumberOfThreads, (std::uint32_t seed)) {
  Layer layer = draw_layer();
  layer.attributes.size = {*rc::gen::inRange<Extent>(1, 24), *rc::gen::inRange<Extent>(1, 80)};
  layer.tensors.dst.reset();
  layer.src = reals(*element_count(layer.tensors.src.dims), layer.tensors.dtype, seed);
  layer.theta = reals(layer.tensors.theta.dims[0], layer.tensors.dtype, seed + 1);
  const Values delta = reals(outputs_of(layer), layer.tensors.dtype, seed + 2);
  for (const GradientWay way : ways_of(layer)) {
    const Gradients one = engine_gradients(layer, delta, 1, way);
    for (const int threads : {2, 3, 8}) {
      const Gradients many = engine_gradients(layer, delta, threads, way);
      RC_ASSERT(many.src == one.src);
      RC_ASSERT(many.theta == one.theta);
      RC_ASSERT(many.grid == one.grid);
    }
  }
}

// Of two values in f64 each rounded to f32: beside what close() allows, a unit in the last place.
bool close_in_f32(const Values& got, const Values& want) {
  double largest = 1;
  for (const double value : want) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!(std::fabs(got[i] - want[i]) <= 0x1p-23 * std::fabs(want[i]) + 1e-11 * largest)) {
      return false;
    }
  }
  return got.size() == want.size();
}

// By phases, layers of more than one part: several bands of rows of an image, several parts of a
// batch, several groups of phases.
struct Parts {
  Extents src;
  Extent channels;
  Rational scale;
  Boundary boundary;
};
const Parts kParts[] = {{{2, 64, 45, 40}, 3, Rational(1), Boundary::kReflect},
                        {{3, 6, 70, 50}, 5, Rational(1), Boundary::kReplicate},
                        {{1, 30, 40, 38}, 33, Rational(5, 7), Boundary::kSymmetric},
                        {{1, 70, 150, 20}, 2, Rational(2, 3), Boundary::kZero}};

Layer layer_of(const Parts& parts) {
  Layer layer;
  layer.attributes.kernel = {3, 3};
  layer.attributes.channels = parts.channels;
  layer.attributes.widths = {5, 7};
  layer.attributes.scale_h = layer.attributes.scale_w = parts.scale;
  layer.attributes.boundary = parts.boundary;
  layer.tensors.src.dims = parts.src;
  layer.tensors.theta.dims = {parameters_of(parts.src, layer.attributes)};
  layer.src = reals(*element_count(parts.src), Dtype::kF32, 1);
  layer.theta = reals(layer.tensors.theta.dims[0], Dtype::kF32, 2);
  return layer;
}

TEST(ContinuousGradients, OfManyPartsHaveThem) {
  bool has_tasks = false, has_bands = false, has_chunks = false, has_groups = false;
  for (const Parts& parts : kParts) {
    const Layer layer = layer_of(parts);
    const auto shape = infer_continuous(layer.tensors, layer.attributes);
    ASSERT_TRUE(static_cast<bool>(shape));
    const auto to_src = plan_input_gradient(*shape, layer.tensors.src, {});
    const auto to_theta = plan_theta_gradient(*shape, {});
    ASSERT_TRUE(to_src && to_theta);
    has_tasks = has_tasks || to_src->rows_at_once < shape->vertical.in;
    has_bands = has_bands || to_theta->phases.bands > 1;
    has_chunks = has_chunks || to_theta->phases.chunks > 1;
    has_groups = has_groups || to_theta->phases.groups > 1;
  }
  EXPECT_TRUE(has_tasks && has_bands && has_chunks && has_groups);
}

TEST(ContinuousGradients, OfManyPartsAreTheSameByPhasesAndByFeatures) {
  for (const Parts& parts : kParts) {
    const Layer layer = layer_of(parts);
    const Values delta = reals(outputs_of(layer), Dtype::kF32, 3);
    const Gradients want = engine_gradients(layer, delta, 1, GradientWay::kFeatures);
    const Gradients one = engine_gradients(layer, delta, 1, GradientWay::kPhases);
    EXPECT_TRUE(close_in_f32(one.src, want.src)) << parts.channels;
    EXPECT_TRUE(close_in_f32(one.theta, want.theta)) << parts.channels;
    const Gradients many = engine_gradients(layer, delta, 3, GradientWay::kPhases);
    EXPECT_EQ(many.src, one.src);
    EXPECT_EQ(many.theta, one.theta);
  }
}

// A layer without output channels takes nothing of its input, and one without any of its own has
// nothing to multiply.
TEST(ContinuousGradients, AreZeroWithoutChannels) {
  for (const auto& [in, out] : {std::pair<Extent, Extent>{2, 0}, {0, 3}}) {
    Layer layer;
    layer.attributes.channels = out;
    layer.attributes.scale_h = layer.attributes.scale_w = {7123, 10000};
    layer.tensors.src.dims = {2, in, 6, 5};
    layer.tensors.theta.dims = {parameters_of(layer.tensors.src.dims, layer.attributes)};
    layer.src = Values(static_cast<std::size_t>(60 * in), 1);
    layer.theta = Values(static_cast<std::size_t>(layer.tensors.theta.dims[0]), 1);
    const Values delta(static_cast<std::size_t>(outputs_of(layer)), 1);
    const Gradients zero = engine_gradients(layer, delta, 2, GradientWay::kFeatures);
    for (const Values* values : {&zero.src, &zero.theta, &zero.grid}) {
      EXPECT_EQ(*values, Values(values->size(), 0.0)) << in << " to " << out;
    }
  }
}

RC_GTEST_PROP(ContinuousGradients, TakePhasesWhereTheLayerDoes, ()) {
  const Layer layer = draw_layer();
  const auto shape = infer_continuous(layer.tensors, layer.attributes);
  RC_ASSERT(static_cast<bool>(shape));
  const auto plan = make_continuous_plan(*shape);
  RC_ASSERT(static_cast<bool>(plan));
  const bool phases =
      plan->way == optimized::ContinuousWay::kPhases && shape->function != KernelFunction::kKeys;
  RC_CLASSIFY(phases, "phases");
  const GradientWay want = phases ? GradientWay::kPhases : GradientWay::kFeatures;
  RC_ASSERT(plan_input_gradient(*shape, layer.tensors.src, {})->way == want);
  RC_ASSERT(plan_theta_gradient(*shape, {})->way == want);
}

}  // namespace
}  // namespace concord::fuzz
