// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/cntk.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "optimized/testing/guarded.h"

namespace concord::optimized {
namespace {

using testing::Guarded;
using testing::Side;
using Floats = std::vector<float>;

Floats random_floats(const Extents& dims, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats values(static_cast<std::size_t>(*element_count(dims)));
  for (float& value : values) value = uniform(generator);
  return values;
}

CntkShape shape_of(const Extents& src, const Extents& weights, const CntkConvolutionAttributes& a) {
  CntkTensors tensors;
  tensors.src.dims = src;
  tensors.weights.dims = weights;
  const auto shape = infer_cntk(tensors, a, Reading::kDocumented);
  CONCORD_CHECK(shape) << "refused";
  return *shape;
}

CntkPlan plan_of(const CntkShape& shape, int threads) {
  const auto plan = make_cntk_plan(shape, {.threads = threads});
  CONCORD_CHECK(plan) << "refused";
  return *plan;
}

// Everything between guard pages, with dirt in the workspace.
Floats run(const CntkPlan& plan, const Floats& src, const Floats& weights, bool one_shot) {
  const auto bytes = [](const Floats& values) { return values.size() * sizeof(float); };
  Guarded src_memory(bytes(src), Side::kAfter, 0);
  Guarded weights_memory(bytes(weights), Side::kAfter, 0);
  std::memcpy(src_memory.data(), src.data(), bytes(src));
  std::memcpy(weights_memory.data(), weights.data(), bytes(weights));
  Floats dst(static_cast<std::size_t>(*element_count(plan.shape.dst.dims)));
  Guarded dst_memory(bytes(dst), Side::kAfter, 0xFF);
  Guarded workspace(one_shot ? plan.one_shot_workspace_bytes : plan.workspace_bytes, Side::kAfter,
                    0xFF);
  if (one_shot) {
    execute(plan, src_memory.data(), weights_memory.data(), dst_memory.data(), workspace.data());
  } else {
    execute(plan, pack(plan, weights_memory.data()), src_memory.data(), dst_memory.data(),
            workspace.data());
  }
  std::memcpy(dst.data(), dst_memory.data(), bytes(dst));
  return dst;
}

CntkConvolutionAttributes same_3x3(Extents sharing, Extent samples_at_once) {
  CntkConvolutionAttributes a;
  a.kernel = {3, 3, 3};
  a.stride = {1, 2, 3};
  a.auto_padding = {1, 1, 0};
  a.sharing = std::move(sharing);
  a.map_count = {5};
  a.max_temp_mem_size_in_samples = samples_at_once;
  return a;
}
const Extents kSrc{11, 9, 3, 8};
Extents weights_for(const Extents& sharing) {
  return {5 * (sharing[0] == 0 ? 11 : 1) * (sharing[1] == 0 ? 5 : 1), 27};
}
const Extents kSharings[] = {{1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {0, 0, 0}};

// CNTK's ConvolutionEngineTests: TensorFlow's SAME has 9 6 6 4 here.
TEST(CntkPlan, StartsBeforeTheInputAtStride2) {
  CntkConvolutionAttributes a;
  a.kernel = {3, 3, 1};
  a.stride = {2, 2, 1};
  a.auto_padding = {1, 1, 0};
  const CntkPlan plan = plan_of(shape_of({4, 4, 1, 1}, {1, 9}, a), 1);
  EXPECT_EQ(run(plan, Floats(16, 1), Floats(9, 1), false), (Floats{4, 6, 6, 9}));
}

// 6 cells, kernel 1, stride 3: the windows are centred, on cells 1 and 4; 0 and 3 are TensorFlow's.
TEST(CntkPlan, CropsWhereTheCentredWindowsBeginInsideTheInput) {
  CntkConvolutionAttributes a;
  a.kernel = {1};
  a.stride = {3};
  const CntkShape shape = shape_of({6, 1}, {1, 1}, a);
  EXPECT_EQ(shape.axes[0].lower, -1);
  EXPECT_EQ(run(plan_of(shape, 1), {0, 1, 2, 3, 4, 5}, {1}, true), (Floats{1, 4}));
}

TEST(CntkPlan, GivesTheSameBitsForEverySubBatchAndNumberOfThreads) {
  const Floats src = random_floats(kSrc, 1);
  for (const Extents& sharing : kSharings) {
    const Extents rows = weights_for(sharing);
    const Floats weights = random_floats(rows, 2);
    const Floats want =
        run(plan_of(shape_of(kSrc, rows, same_3x3(sharing, 0)), 1), src, weights, false);
    for (const Extent samples : {0, 1, 2, 3, 8, 9, 1 << 20}) {
      const CntkShape shape = shape_of(kSrc, rows, same_3x3(sharing, samples));
      for (const int threads : {1, 2, 3, 4, 8}) {
        const CntkPlan plan = plan_of(shape, threads);
        for (const bool one_shot : {false, true}) {
          EXPECT_EQ(run(plan, src, weights, one_shot), want) << samples << " " << threads;
        }
      }
    }
  }
}

// CNTK's own bound for unshared weights, samples * places * cells; and for shared ones no more than
// so many times the memory of one sample.
TEST(CntkPlan, KeepsNoMoreThanTheSamplesThatItMay) {
  for (const Extents& sharing : kSharings) {
    const auto plan_for = [&](Extent samples, int threads) {
      return plan_of(shape_of(kSrc, weights_for(sharing), same_3x3(sharing, samples)), threads);
    };
    const std::size_t one = plan_for(1, 1).workspace_bytes;
    for (const Extent samples : {1, 2, 5, 8}) {
      for (const int threads : {1, 2, 4, 8}) {
        const CntkPlan plan = plan_for(samples, threads);
        const auto at_once = static_cast<std::size_t>(samples);
        if (plan.by_parts) {
          EXPECT_LE(plan.in_flight, samples);
          EXPECT_EQ(plan.workspace_bytes,
                    static_cast<std::size_t>(plan.in_flight) * plan.sample_bytes);
          if (threads <= samples) {
            EXPECT_LE(plan.workspace_bytes, at_once * one);
          }
        } else {
          EXPECT_LE(plan.workspace_bytes, at_once * 11 * 5 * 27 * sizeof(float));
        }
      }
    }
    if (sharing == Extents{1, 1, 1}) {
      EXPECT_EQ(plan_for(8, 8).in_flight, 8);
      EXPECT_EQ(plan_for(1, 8).in_flight, 1);
    }
  }
}

TEST(CntkPlan, SaysHowItGoesAboutAProblem) {
  EXPECT_NE(describe(plan_of(shape_of(kSrc, {5, 27}, same_3x3({1}, 2)), 2)).find("2 at once"),
            std::string::npos);
  EXPECT_NE(describe(plan_of(shape_of(kSrc, {275, 27}, same_3x3({0}, 0)), 1)).find("55 places"),
            std::string::npos);
  // Shared, of 17 x 17 convolutions a sample.
  CntkConvolutionAttributes many = same_3x3({1}, 0);
  many.map_count = {17, 17, 17};
  EXPECT_EQ(describe(plan_of(shape_of(kSrc, {17 * 17 * 17, 27}, many), 1)).find("shared weights"),
            0U);
}

TEST(CntkPlan, RefusesNoThreads) {
  const auto plan = make_cntk_plan(shape_of(kSrc, {5, 27}, same_3x3({1}, 2)), {.threads = 0});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.why().fault, Fault::kSyntax);
}

}  // namespace
}  // namespace concord::optimized
