// SPDX-License-Identifier: Apache-2.0
// The gradients of the continuous layer: the engine and the reference agree.
#include "optimized/operations/continuous_gradient.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fuzz/continuous_runs.h"
#include "fuzz/tensor_bytes.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using Values = std::vector<double>;

struct Gradients {
  Values src, theta, grid;
};

Gradients engine_gradients(const Layer& layer, const Values& delta, int threads) {
  const auto shape = infer_continuous(layer.tensors, layer.attributes);
  CONCORD_CHECK(static_cast<bool>(shape)) << shape.why().detail;
  const Dtype dtype = shape->dtype;
  const auto src = bytes_of(dtype, shape->src, layer.src);
  const auto theta = bytes_of(dtype, shape->theta, layer.theta);
  const auto diff_dst = bytes_of(dtype, shape->dst, delta);
  optimized::Options options;
  options.threads = threads;

  Gradients result;
  const auto to_src = plan_input_gradient(*shape, layer.tensors.src, options);
  CONCORD_CHECK(static_cast<bool>(to_src)) << to_src.why().detail;
  std::vector<std::byte> workspace(to_src->workspace_bytes, std::byte{0xFF});
  auto diff_src = bytes_of(dtype, to_src->diff_src, Values(layer.src.size(), NAN));
  execute_input_gradient(*to_src, theta.data(), diff_dst.data(), diff_src.data(), workspace.data());
  result.src = read_tensor(dtype, to_src->diff_src, diff_src.data());

  const auto to_theta = plan_theta_gradient(*shape, options);
  CONCORD_CHECK(static_cast<bool>(to_theta)) << to_theta.why().detail;
  workspace.assign(to_theta->workspace_bytes, std::byte{0xFF});
  auto diff_theta = bytes_of(dtype, shape->theta, Values(layer.theta.size(), NAN));
  result.grid.assign(static_cast<std::size_t>(2 * shape->outputs()), NAN);
  execute_theta_gradient(*to_theta, src.data(), theta.data(), diff_dst.data(), shape->theta,
                         diff_theta.data(), result.grid.data(), workspace.data());
  result.theta = read_tensor(dtype, shape->theta, diff_theta.data());
  return result;
}

Extent outputs_of(const Layer& layer) { return *element_count(geometry_of(layer).dst()); }

// Both sides compute in f64: what is exact there is equal.
RC_GTEST_PROP(ContinuousGradients, AreTheReferencesBitForBitOnDyadicData, (std::uint32_t seed)) {
  const Layer layer = draw_exact_layer(seed);
  const Values delta = integers(outputs_of(layer), seed + 7);
  const auto want = continuous_gradients(geometry_of(layer), layer.src, layer.theta, delta);
  const Gradients got = engine_gradients(layer, delta, *rc::gen::inRange(1, 4));
  const auto rounded = [](Values values) {
    for (double& value : values) value = round_to(Dtype::kF32, value);
    return values;
  };
  RC_ASSERT(got.src == rounded(want.src.value));
  RC_ASSERT(got.theta == rounded(want.theta.value));
  RC_ASSERT(got.grid == want.grid.value);
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
  const Gradients got = engine_gradients(layer, delta, 1);
  RC_ASSERT(close(got.src, want.src.value, dtype));
  RC_ASSERT(close(got.theta, want.theta.value, dtype));
  // In f64 on both sides, so never rounded.
  for (std::size_t i = 0; i < want.grid.value.size(); ++i) {
    RC_ASSERT(std::fabs(got.grid[i] - want.grid.value[i]) <=
              1e-9 * (1 + std::fabs(want.grid.value[i])));
  }
}

RC_GTEST_PROP(ContinuousGradients, HaveTheSameBitsForAnyNumberOfThreads, (std::uint32_t seed)) {
  Layer layer = draw_layer();
  layer.attributes.size = {*rc::gen::inRange<Extent>(1, 24), *rc::gen::inRange<Extent>(1, 80)};
  layer.tensors.dst.reset();
  layer.src = reals(*element_count(layer.tensors.src.dims), layer.tensors.dtype, seed);
  layer.theta = reals(layer.tensors.theta.dims[0], layer.tensors.dtype, seed + 1);
  const Values delta = reals(outputs_of(layer), layer.tensors.dtype, seed + 2);
  const Gradients one = engine_gradients(layer, delta, 1);
  for (const int threads : {2, 3, 8}) {
    const Gradients many = engine_gradients(layer, delta, threads);
    RC_ASSERT(many.src == one.src);
    RC_ASSERT(many.theta == one.theta);
    RC_ASSERT(many.grid == one.grid);
  }
}

}  // namespace
}  // namespace concord::fuzz
