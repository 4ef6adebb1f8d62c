// SPDX-License-Identifier: Apache-2.0
// space_to_batch and batch_to_space: the engine and the reference agree; and the three ways of
// atrous_conv2d, computed by the engine, give the same bits on integers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fuzz/cntk_runs.h"
#include "fuzz/tensor_bytes.h"
#include "optimized/convolution.h"
#include "optimized/operations/space_to_batch.h"
#include "reference/tf_atrous_forms.h"
#include "reference/tf_space_to_batch.h"
#include "spec/grid.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using optimized::PhasePlan;
using optimized::plan_batch_to_space;
using optimized::plan_space_to_batch;
using Values = std::vector<double>;

Extent draw(Extent least, Extent end) { return *rc::gen::inRange<Extent>(least, end); }

// Dense, or with a gap behind each axis.
Tensor some_layout(const Extents& dims) {
  Tensor tensor{dims, {}};
  if (draw(0, 2) == 0) return tensor;
  tensor.strides.resize(dims.size());
  Extent step = draw(1, 3);
  for (std::size_t at = dims.size(); at-- > 0;) {
    tensor.strides[at] = step;
    step = step * std::max<Extent>(dims[at], 1) + draw(0, 2);
  }
  return tensor;
}

Values run(const PhasePlan& plan, const Tensor& src, const Values& values) {
  const auto from = bytes_of(plan.dtype, src, values);
  std::vector<std::byte> to(
      static_cast<std::size_t>(*element_span(plan.dst())) * size_of(plan.dtype), std::byte{0xFF});
  execute(plan, from.data(), to.data());
  return read_tensor(plan.dtype, plan.dst(), to.data());
}

// Paddings that make the extents multiples of the block.
Extents fitting(Extent block, const Extents& dims) {
  Extents pads;
  for (const Extent extent : {dims[1], dims[2]}) {
    const Extent before = draw(0, 4);
    pads.push_back(before);
    pads.push_back((block - (extent + before) % block) % block + block * draw(0, 2));
  }
  return pads;
}

RC_GTEST_PROP(SpaceToBatch, OfTheEngineIsTheReferences, (std::uint32_t seed)) {
  const Extent block = draw(1, 5);
  const Tensor src = some_layout({draw(0, 3), draw(0, 8), draw(1, 8), draw(1, 4)});
  const SpaceToBatchAttributes a{.block_size = block, .paddings = fitting(block, src.dims)};
  const auto dims = reference::resolve_space_to_batch(src.dims, a);
  RC_ASSERT(static_cast<bool>(dims));
  const auto plan =
      plan_space_to_batch(Dtype::kF16, src, some_layout(*dims), a, static_cast<int>(draw(1, 4)));
  RC_ASSERT(static_cast<bool>(plan));
  const Values values = cntk_integers(src.dims, seed);
  RC_ASSERT(run(*plan, src, values) == reference::evaluate_space_to_batch(src.dims, a, values));
}

RC_GTEST_PROP(BatchToSpace, OfTheEngineIsTheReferences, (std::uint32_t seed)) {
  const Extent block = draw(1, 4);
  const Tensor src = some_layout({draw(0, 3) * block * block, draw(1, 5), draw(1, 5), draw(1, 4)});
  BatchToSpaceAttributes a{.block_size = block, .crops = {}};
  for (const Extent extent : {src.dims[1] * block, src.dims[2] * block}) {
    const Extent before = draw(0, extent + 1);
    a.crops.push_back(before);
    a.crops.push_back(draw(0, extent - before + 1));
  }
  const auto dims = reference::resolve_batch_to_space(src.dims, a);
  RC_ASSERT(static_cast<bool>(dims));
  const auto plan =
      plan_batch_to_space(Dtype::kF32, src, some_layout(*dims), a, static_cast<int>(draw(1, 4)));
  RC_ASSERT(static_cast<bool>(plan));
  const Values values = cntk_integers(src.dims, seed);
  RC_ASSERT(run(*plan, src, values) == reference::evaluate_batch_to_space(src.dims, a, values));
}

RC_GTEST_PROP(BatchToSpace, UndoesSpaceToBatch, (std::uint32_t seed)) {
  const Extent block = draw(1, 5);
  const Tensor src{{draw(1, 3), draw(1, 8), draw(1, 8), draw(1, 4)}, {}};
  const Extents pads = fitting(block, src.dims);
  const auto split =
      plan_space_to_batch(Dtype::kF32, src, {}, {.block_size = block, .paddings = pads}, 1);
  RC_ASSERT(static_cast<bool>(split));
  const auto join =
      plan_batch_to_space(Dtype::kF32, split->dst(), {}, {.block_size = block, .crops = pads}, 1);
  RC_ASSERT(static_cast<bool>(join));
  const Values values = cntk_integers(src.dims, seed);
  RC_ASSERT(run(*join, split->dst(), run(*split, src, values)) == values);
}

RC_GTEST_PROP(SpaceToBatch, RefusesForTheSameReasonAsTheReference, ()) {
  const auto any = [](Extent usual) {
    return draw(0, 6) == 0 ? *rc::gen::element<Extent>(-1, 0, 3, INT64_MAX / 8, INT64_MIN) : usual;
  };
  Extents dims{any(4), any(4), any(6), any(2)};
  if (draw(0, 8) == 0) dims.pop_back();
  Extents pads{any(0), any(2), any(1), any(1)};
  if (draw(0, 8) == 0) pads.pop_back();
  const SpaceToBatchAttributes split{.block_size = any(2), .paddings = pads};
  const BatchToSpaceAttributes join{.block_size = any(2), .crops = pads};
  const auto same = [](const auto& want, const auto& got) {
    if (want && got) RC_ASSERT(got->dst().dims == *want);
    if (!want) {
      RC_ASSERT(!got);
      RC_LOG() << want.why().detail << "; the engine: " << got.why().detail << "\n";
      RC_ASSERT(got.why().fault == want.why().fault);
    } else if (!got) {
      RC_ASSERT(got.why().fault == Fault::kSize);  // elements that can be counted, but not bytes
    }
  };
  const auto beyond = [](const Extents& list) {
    const auto elements = element_count(list);
    return elements && *elements > INT64_MAX / 4;
  };
  if (beyond(dims)) return;
  same(reference::resolve_space_to_batch(dims, split),
       plan_space_to_batch(Dtype::kF32, {dims, {}}, {}, split, 1));
  same(reference::resolve_batch_to_space(dims, join),
       plan_batch_to_space(Dtype::kF32, {dims, {}}, {}, join, 1));
}

// dst of a problem on dense data, by the engine.
Values convolve(const Problem& problem, const Values& src, const Values& weights) {
  const auto plan = optimized::make_plan(problem);
  CONCORD_CHECK(static_cast<bool>(plan)) << plan.why().detail;
  const auto src_bytes = bytes_of(Dtype::kF32, problem.src, src);
  const auto weights_bytes = bytes_of(Dtype::kF32, problem.weights, weights);
  const Tensor dst{plan->dst_dims(), {}};
  std::vector<std::byte> to(static_cast<std::size_t>(*element_count(dst.dims)) *
                            size_of(Dtype::kF32));
  std::vector<std::byte> workspace(plan->one_shot_workspace_bytes);
  execute(*plan, src_bytes.data(), weights_bytes.data(), nullptr, to.data(), workspace.data());
  return read_tensor(Dtype::kF32, dst, to.data());
}

Problem atrous(const Extents& value, const Extents& filters, const AtrousConv2dAttributes& a) {
  Problem problem;
  problem.src = {value, {}};
  problem.weights = {filters, {}};
  problem.attributes = a;
  return problem;
}

// The document's second way: a dense convolution with zeros between the filters' values.
Values by_zero_stuffing(const Problem& problem, const AtrousConv2dAttributes& a,
                        const Values& value, const Values& filters) {
  const auto stuffed = reference::zero_stuffed({problem.weights.dims, filters}, a.rate);
  return convolve(atrous(problem.src.dims, stuffed.dims, {.rate = 1, .padding = a.padding}), value,
                  stuffed.values);
}

// The third: phases in batches of their own, a dense VALID convolution, and back. `block` is the
// rate but in the property's own test.
Values by_phases(const Problem& problem, const AtrousConv2dAttributes& a, const Values& value,
                 const Values& filters, Extent block) {
  const auto shape = optimized::infer_shape(problem);
  CONCORD_CHECK(static_cast<bool>(shape)) << shape.why().detail;
  const Extents& dims = problem.src.dims;
  Extents pads;
  Extents crops;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    const Extent span = (problem.weights.dims[axis - 1] - 1) * a.rate;
    const Extent before = a.padding == TfPadding::kSame ? span / 2 : 0;
    const Extent after = a.padding == TfPadding::kSame ? span - before : 0;
    const Extent excess = (block - (dims[axis] + before + after) % block) % block;
    pads.insert(pads.end(), {before, after + excess});
    crops.insert(crops.end(), {0, excess});
  }
  const auto split =
      plan_space_to_batch(Dtype::kF32, problem.src, {}, {.block_size = block, .paddings = pads}, 1);
  CONCORD_CHECK(static_cast<bool>(split)) << split.why().detail;
  const Problem dense = atrous(split->dst().dims, problem.weights.dims, {});
  const auto dense_shape = optimized::infer_shape(dense);
  CONCORD_CHECK(static_cast<bool>(dense_shape)) << dense_shape.why().detail;
  const auto join = plan_batch_to_space(Dtype::kF32, dense_shape->dst_tensor, {},
                                        {.block_size = block, .crops = crops}, 1);
  CONCORD_CHECK(static_cast<bool>(join)) << join.why().detail;
  return run(*join, {dense_shape->dst_tensor.dims, {}},
             convolve(dense, run(*split, problem.src, value), filters));
}

struct AtrousCase {
  Problem problem{};
  AtrousConv2dAttributes attributes{};
  Values value{}, filters{};
};
AtrousCase draw_atrous(std::uint32_t seed) {
  AtrousCase c;
  c.attributes = {.rate = draw(1, 4),
                  .padding = draw(0, 2) == 0 ? TfPadding::kSame : TfPadding::kValid};
  const Extent kh = draw(1, 4);
  const Extent kw = draw(1, 4);
  const Extents value{draw(1, 3), draw((kh - 1) * c.attributes.rate + 1, 14),
                      draw((kw - 1) * c.attributes.rate + 1, 14), draw(1, 4)};
  c.problem = atrous(value, {kh, kw, value[3], draw(1, 4)}, c.attributes);
  c.value = cntk_integers(value, seed);
  c.filters = cntk_integers(c.problem.weights.dims, seed + 1);
  return c;
}

RC_GTEST_PROP(AtrousConv2d, IsTheSameInAllThreeWays, (std::uint32_t seed)) {
  const auto [problem, a, value, filters] = draw_atrous(seed);
  const Values direct = convolve(problem, value, filters);
  RC_ASSERT(by_zero_stuffing(problem, a, value, filters) == direct);
  RC_ASSERT(by_phases(problem, a, value, filters, a.rate) == direct);
}

// What the property above is worth: phases of another block are another operation.
TEST(AtrousConv2d, IsNotTheSameByPhasesOfAnotherBlock) {
  const AtrousConv2dAttributes a{.rate = 2, .padding = TfPadding::kSame};
  const Problem problem = atrous({1, 7, 7, 1}, {3, 3, 1, 1}, a);
  const Values value = cntk_integers(problem.src.dims, 1);
  const Values filters = cntk_integers(problem.weights.dims, 2);
  EXPECT_EQ(by_phases(problem, a, value, filters, 2), convolve(problem, value, filters));
  EXPECT_NE(by_phases(problem, {.rate = 3, .padding = a.padding}, value, filters, 3),
            convolve(problem, value, filters));
}

// A chain of SAME convolutions at one rate between one space_to_batch and one batch_to_space.
// Between the layers what pads the phases is set to zero again, if `masks`.
Values chain(const Extents& dims, const Values& value, const std::vector<Extents>& filters,
             const std::vector<Values>& weights, Extent rate, bool masks) {
  Extents pads;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    pads.insert(pads.end(), {0, (rate - dims[axis] % rate) % rate});
  }
  const auto split =
      plan_space_to_batch(Dtype::kF32, {dims, {}}, {}, {.block_size = rate, .paddings = pads}, 1);
  CONCORD_CHECK(static_cast<bool>(split)) << split.why().detail;
  Extents phases = split->dst().dims;
  Values net = run(*split, {dims, {}}, value);
  for (std::size_t layer = 0; layer < filters.size(); ++layer) {
    net = convolve(atrous(phases, filters[layer], {.rate = 1, .padding = TfPadding::kSame}), net,
                   weights[layer]);
    phases[3] = filters[layer][3];
    if (!masks) continue;
    std::size_t at = 0;
    for (const auto [b, y, x, c] : Grid<4>{{phases[0], phases[1], phases[2], phases[3]}}) {
      const Extent phase = b / dims[0];
      const bool inside = y * rate + phase / rate < dims[1] && x * rate + phase % rate < dims[2];
      if (!inside) net[at] = 0;
      ++at;
    }
  }
  const auto join =
      plan_batch_to_space(Dtype::kF32, {phases, {}}, {}, {.block_size = rate, .crops = pads}, 1);
  CONCORD_CHECK(static_cast<bool>(join)) << join.why().detail;
  return run(*join, {phases, {}}, net);
}

struct Chain {
  Extents dims{};
  Extent rate = 1;
  std::vector<Extents> filters{};
  Values value{};
  std::vector<Values> weights{};
};
Chain draw_chain(std::uint32_t seed) {
  Chain c;
  c.rate = draw(1, 4);
  c.dims = {draw(1, 3), draw(1, 10), draw(1, 10), draw(1, 3)};
  Extent channels = c.dims[3];
  for (Extent layers = draw(2, 4); layers > 0; --layers) {
    c.filters.push_back({draw(0, 2) * 2 + 1, draw(0, 2) * 2 + 1, channels, draw(1, 3)});
    channels = c.filters.back()[3];
    std::vector<double> weights = cntk_integers(c.filters.back(), ++seed);
    for (double& weight : weights) weight = weight < -3 ? -1 : weight > 3 ? 1 : 0;
    c.weights.push_back(weights);
  }
  c.value = cntk_integers(c.dims, seed);
  return c;
}

Values layer_by_layer(const Chain& c) {
  Values net = c.value;
  Extents dims = c.dims;
  for (std::size_t layer = 0; layer < c.filters.size(); ++layer) {
    net = convolve(atrous(dims, c.filters[layer], {.rate = c.rate, .padding = TfPadding::kSame}),
                   net, c.weights[layer]);
    dims[3] = c.filters[layer][3];
  }
  return net;
}

RC_GTEST_PROP(AtrousChain, IsTheLayersWhereTheRateDividesTheImage, (std::uint32_t seed)) {
  Chain c = draw_chain(seed);
  c.dims[1] = (c.dims[1] + c.rate - 1) / c.rate * c.rate;
  c.dims[2] = (c.dims[2] + c.rate - 1) / c.rate * c.rate;
  c.value = cntk_integers(c.dims, seed);
  RC_ASSERT(chain(c.dims, c.value, c.filters, c.weights, c.rate, false) == layer_by_layer(c));
}

RC_GTEST_PROP(AtrousChain, IsTheLayersForEveryImageIfTheTailIsMasked, (std::uint32_t seed)) {
  const Chain c = draw_chain(seed);
  RC_ASSERT(chain(c.dims, c.value, c.filters, c.weights, c.rate, true) == layer_by_layer(c));
}

// Worked by hand: the document's chain at rate 2 on 1 2 3 4 5 under two filters 1 1 1.
TEST(AtrousChain, IsNotTheLayersWhereTheRateDoesNotDivideTheImage) {
  Chain c{.dims = {1, 1, 5, 1},
          .rate = 2,
          .filters = {{1, 3, 1, 1}, {1, 3, 1, 1}},
          .value = {1, 2, 3, 4, 5},
          .weights = {{1, 1, 1}, {1, 1, 1}}};
  EXPECT_EQ(layer_by_layer(c), (Values{13, 12, 21, 12, 17}));
  EXPECT_EQ(chain(c.dims, c.value, c.filters, c.weights, c.rate, false),
            (Values{13, 12, 21, 16, 17}));
  EXPECT_EQ(chain(c.dims, c.value, c.filters, c.weights, c.rate, true), layer_by_layer(c));
}

}  // namespace
}  // namespace concord::fuzz
