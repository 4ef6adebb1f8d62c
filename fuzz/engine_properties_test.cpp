// SPDX-License-Identifier: Apache-2.0
// The fast engine and the reference, which share no code, agree on every problem.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/generators.h"
#include "fuzz/tensor_bytes.h"
#include "optimized/convolution.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using optimized::Isa;
using optimized::Options;

// The engine's dst, dense and channels first.
std::vector<double> engine_values(const Problem& problem, const optimized::Plan& plan,
                                  const Data& data) {
  const std::size_t rank = problem.src.rank();
  const auto data_axes = channels_first_axes(data_format_of(problem), rank);
  const auto weights_axes = channels_first_axes(weights_format_of(problem), rank);
  const auto src = bytes_of(problem.dtype, permute(problem.src, data_axes), data.src);
  const auto weights =
      bytes_of(problem.dtype, permute(problem.weights, weights_axes), data.weights);
  const auto bias =
      problem.bias ? bytes_of(problem.dtype, *problem.bias, data.bias) : std::vector<std::byte>();
  const Tensor& shape = plan.shape.dst_tensor;
  std::vector<std::byte> dst(
      static_cast<std::size_t>(*element_span(shape)) * size_of(problem.dtype), std::byte{0xFF});
  std::vector<std::byte> workspace(plan.one_shot_workspace_bytes, std::byte{0xFF});
  execute(plan, src.data(), weights.data(), problem.bias ? bias.data() : nullptr, dst.data(),
          workspace.data());
  return read_tensor(problem.dtype, permute(shape, data_axes), dst.data());
}

Options some_options() {
  std::vector<Isa> isas;
  std::copy_if(std::begin(optimized::kIsas), std::end(optimized::kIsas), std::back_inserter(isas),
               optimized::is_supported);
  return {.threads = *rc::gen::inRange(1, 4), .isa = *rc::gen::elementOf(isas)};
}

void expect_same_bits(const Problem& problem, std::uint32_t seed) {
  const auto geometry = reference::resolve_discrete(problem);
  RC_ASSERT(static_cast<bool>(geometry));
  const auto plan = make_plan(problem, some_options());
  RC_ASSERT(static_cast<bool>(plan));
  RC_ASSERT(plan->shape.dst_tensor == geometry->dst);
  const Data data = integer_data(problem, *geometry, seed);
  const auto want = evaluate_discrete(problem, *geometry, data.src, data.weights, data.bias);
  const auto got = engine_values(problem, *plan, data);
  RC_ASSERT(got.size() == want.value.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    RC_ASSERT(got[i] == round_to(problem.dtype, want.value[i]));
  }
}

RC_GTEST_PROP(Engine, AgreesWithTheReferenceBitForBitOnIntegers, (std::uint32_t seed)) {
  expect_same_bits(*small_problem(), seed);
}

RC_GTEST_PROP(Engine, AgreesWithTheReferenceOnValidAsDocumented, (std::uint32_t seed)) {
  expect_same_bits(*documented_valid_problem(), seed);
}

// |got - y| <= |RN(y + A) - y| with A = (n + 1) u S: n products and the bias, each rounded at most
// once by itself and once by every addition that follows; the second order is far below one u S.
RC_GTEST_PROP(Engine, StaysWithinTheBoundOfF32AccumulationOnReals, (std::uint32_t seed)) {
  const Problem problem = *small_problem();
  const auto geometry = reference::resolve_discrete(problem);
  RC_ASSERT(static_cast<bool>(geometry));
  const auto plan = make_plan(problem, some_options());
  RC_ASSERT(static_cast<bool>(plan));
  Data data = integer_data(problem, *geometry, seed);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto* values : {&data.src, &data.weights, &data.bias}) {
    for (double& value : *values) value = round_to(problem.dtype, uniform(generator));
  }
  const auto want = evaluate_discrete(problem, *geometry, data.src, data.weights, data.bias);
  const auto got = engine_values(problem, *plan, data);
  RC_ASSERT(got.size() == want.value.size());
  const double u = format_of(Dtype::kF32).unit_roundoff();
  const double products = static_cast<double>(geometry->products());
  for (std::size_t i = 0; i < got.size(); ++i) {
    // Subnormal inputs and sums may count as zero where the plan says so.
    const double tiny = plan->flushes_subnormals ? 0x1p-126 * (products + 1) : 0x1p-149 * products;
    const double allowed = (products + 1.01) * u * want.magnitude[i] + tiny;
    RC_ASSERT(got[i] >= round_to(problem.dtype, want.value[i] - allowed));
    RC_ASSERT(got[i] <= round_to(problem.dtype, want.value[i] + allowed));
  }
}

// The paddings that are not 0, outermost axis first: the engine drops axes that mean nothing.
Extents paddings(const reference::Geometry& geometry) {
  Extents all(geometry.P_begin.begin(), geometry.P_begin.end());
  std::erase(all, 0);
  return all;
}

Extents paddings(const optimized::Shape& shape) {
  Extents all;
  for (const optimized::OuterAxis& axis : shape.outer) all.push_back(axis.P);
  all.insert(all.end(), shape.P.begin(), shape.P.end());
  std::erase(all, 0);
  return all;
}

void expect_same_verdict(const Problem& problem) {
  const auto reference = reference::resolve_discrete(problem);
  const auto engine = optimized::infer_shape(problem);
  RC_ASSERT(static_cast<bool>(engine) == static_cast<bool>(reference));
  if (!engine) {
    RC_ASSERT(engine.why().fault == reference.why().fault);
    RC_ASSERT(!engine.why().detail.empty());
    return;
  }
  RC_ASSERT(engine->dst_tensor == reference->dst);
  RC_ASSERT(paddings(*engine) == paddings(*reference));
}

RC_GTEST_PROP(Engine, RefusesNonsenseForTheSameReasonAsTheReference, ()) {
  expect_same_verdict(*any_problem());
}

RC_GTEST_PROP(Engine, RefusesSpoiledProblemsForTheSameReasonAsTheReference, ()) {
  expect_same_verdict(*spoiled_problem());
}

}  // namespace
}  // namespace concord::fuzz
