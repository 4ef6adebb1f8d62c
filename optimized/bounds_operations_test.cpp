// SPDX-License-Identifier: Apache-2.0
// As bounds_test.cpp, for the operations that are not one convolution: the continuous layer and its
// gradients, CNTK's convolution, space_to_batch and batch_to_space. A run between guard pages has
// the bits of one in roomy memory, whose neighbourhood holds something else.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "optimized/operations/cntk.h"
#include "optimized/operations/continuous.h"
#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/space_to_batch.h"
#include "optimized/testing/trial.h"
#include "spec/tensor_values.h"

namespace concord::optimized {
namespace {

using testing::Guarded;
using testing::problem_of;
using testing::Side;
using Bytes = std::vector<std::byte>;

// Between guard pages at a side, or in the middle of zeros.
class Memory {
 public:
  Memory(std::optional<Side> side, std::size_t bytes, const char* name, Dtype dtype = Dtype::kF32)
      : bytes_(bytes) {
    if (side) {
      guarded_.emplace(bytes, *side, 0xFF, name, size_of(dtype));
    } else {
      roomy_.resize(bytes + 2 * kRoom);
    }
  }
  Memory(std::optional<Side> side, const Bytes& content, const char* name, Dtype dtype)
      : Memory(side, content.size(), name, dtype) {
    if (guarded_) {
      guarded_->hold(content);
    } else {
      std::copy(content.begin(), content.end(), roomy_.begin() + kRoom);
    }
  }

  void* data() { return guarded_ ? guarded_->data() : roomy_.data() + kRoom; }
  Bytes copy() {
    const auto* from = static_cast<const std::byte*>(data());
    return {from, from + bytes_};
  }

 private:
  static constexpr std::ptrdiff_t kRoom = 4096;
  std::size_t bytes_;
  std::optional<Guarded> guarded_{};
  Bytes roomy_{};
};

std::size_t bytes_of(const Tensor& tensor, Dtype dtype) {
  return static_cast<std::size_t>(*element_span(tensor)) * size_of(dtype);
}

Bytes random_elements(const Tensor& tensor, Dtype dtype, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(*element_span(tensor)));
  for (double& value : values) value = uniform(generator);
  Bytes bytes(values.size() * size_of(dtype));
  store(dtype, values, bytes);
  return bytes;
}

// What differs between roomy memory and each place between guard pages; run(side) gives all that is
// written.
template <class Run>
void expect_same_bits(const std::string& what, const Run& run) {
  const Bytes want = run(std::nullopt);
  for (const Side side : testing::kSides) {
    testing::set_current_trial(what);
    EXPECT_EQ(run(side), want) << what << " " << static_cast<int>(side);
  }
}

constexpr Dtype kDtypes[] = {Dtype::kF32, Dtype::kF16, Dtype::kBF16};

struct Layer {
  Extents src;
  Extent channels;
  Rational scale_h, scale_w;
  Extents widths;
};
// Channels, columns and hidden values around the vectors.
const Layer kLayers[] = {{{1, 1, 1, 1}, 1, Rational(1), Rational(1), {1, 1}},
                         {{2, 3, 2, 7}, 7, Rational(2, 3), Rational(3, 2), {7, 3}},
                         {{1, 8, 5, 8}, 9, Rational(1, 2), Rational(2), {8, 9}},
                         {{1, 16, 3, 15}, 15, Rational(2), Rational(1), {16, 15}},
                         {{1, 17, 2, 16}, 16, Rational(1), Rational(3), {3, 17}},
                         {{1, 31, 1, 17}, 33, Rational(3), Rational(2, 3), {4, 16}},
                         {{1, 2, 9, 33}, 32, Rational(1), Rational(2), {9, 8}},
                         {{1, 33, 3, 31}, 3, Rational(4, 3), Rational(1), {5, 7}}};

ContinuousShape shape_of(const Layer& layer, KernelFunction function, Dtype dtype) {
  ContinuousAttributes a;
  a.scale_h = layer.scale_h;
  a.scale_w = layer.scale_w;
  a.channels = layer.channels;
  a.function = function;
  a.widths = layer.widths;
  a.kernel = {2, 3};
  ContinuousTensors tensors;
  tensors.dtype = dtype;
  tensors.src.dims = layer.src;
  const Extent outputs = layer.src[1] * layer.channels * (predicts_all(function) ? 6 : 1);
  const Extent parameters =
      3 * a.widths[0] + (a.widths[0] + 1) * a.widths[1] + (a.widths[1] + 1) * outputs;
  tensors.theta.dims = {function == KernelFunction::kKeys ? 0 : parameters};
  const auto shape = infer_continuous(tensors, a);
  CONCORD_CHECK(shape) << shape.why().detail;
  return *shape;
}

// Of a layer's plan or CNTK's, whose second input is `weights`.
template <class Plan>
Bytes run(const Plan& plan, const Tensor& weights, bool one_shot, std::optional<Side> side) {
  const auto& s = plan.shape;
  Memory src(side, random_elements(s.src, s.dtype, 1), "src", s.dtype);
  Memory second(side, random_elements(weights, s.dtype, 2), "weights", s.dtype);
  Memory dst(side, bytes_of(s.dst, s.dtype), "dst", s.dtype);
  Memory workspace(side, one_shot ? plan.one_shot_workspace_bytes : plan.workspace_bytes,
                   "workspace");
  if (one_shot) {
    execute(plan, src.data(), second.data(), dst.data(), workspace.data());
  } else {
    execute(plan, pack(plan, second.data()), src.data(), dst.data(), workspace.data());
  }
  return dst.copy();
}

void expect_within(const ContinuousShape& shape, ContinuousWay way) {
  for (const Isa isa : testing::supported_isas()) {
    ContinuousOptions options;
    options.isa = isa;
    options.way = way;
    const auto plan = make_continuous_plan(shape, options);
    ASSERT_TRUE(plan) << plan.why().detail;
    ASSERT_EQ(plan->way, way);
    for (const bool one_shot : {false, true}) {
      expect_same_bits(
          describe(*plan) + (one_shot ? "one shot, " : "packed, ") + std::string(to_string(isa)),
          [&](std::optional<Side> side) { return run(*plan, shape.theta, one_shot, side); });
    }
  }
}

TEST(Bounds, HoldForTheContinuousLayerByTilesAndByPhases) {
  for (const KernelFunction function : {KernelFunction::kNet, KernelFunction::kNetK,
                                        KernelFunction::kKeys, KernelFunction::kNetKNearest}) {
    for (const Dtype dtype : kDtypes) {
      for (const Layer& layer : kLayers) {
        for (const ContinuousWay way : {ContinuousWay::kTiles, ContinuousWay::kPhases}) {
          expect_within(shape_of(layer, function, dtype), way);
        }
      }
    }
  }
}

Bytes input_gradient(const ContinuousGradientPlan& plan, std::optional<Side> side) {
  const ContinuousShape& s = plan.shape;
  Memory theta(side, random_elements(s.theta, s.dtype, 2), "theta", s.dtype);
  Memory diff_dst(side, random_elements(s.dst, s.dtype, 3), "diff_dst", s.dtype);
  Memory diff_src(side, bytes_of(plan.diff_src, s.dtype), "diff_src", s.dtype);
  Memory workspace(side, plan.workspace_bytes, "workspace");
  execute_input_gradient(plan, theta.data(), diff_dst.data(), diff_src.data(), workspace.data());
  return diff_src.copy();
}

Bytes theta_gradient(const ContinuousGradientPlan& plan, std::optional<Side> side) {
  const ContinuousShape& s = plan.shape;
  Memory src(side, random_elements(s.src, s.dtype, 1), "src", s.dtype);
  Memory theta(side, random_elements(s.theta, s.dtype, 2), "theta", s.dtype);
  Memory diff_dst(side, random_elements(s.dst, s.dtype, 3), "diff_dst", s.dtype);
  Memory diff_theta(side, bytes_of(s.theta, s.dtype), "diff_theta", s.dtype);
  // In f64, which no dtype is: aligned, as its pointer has to be. By phases there is none.
  const bool has_grid = plan.way == GradientWay::kFeatures;
  const auto aligned = side == Side::kUnaligned ? Side::kBefore : side;
  Memory grid(aligned, static_cast<std::size_t>(2 * s.outputs()) * sizeof(double), "diff_grid");
  Memory workspace(side, plan.workspace_bytes, "workspace");
  execute_theta_gradient(plan, src.data(), theta.data(), diff_dst.data(), s.theta,
                         diff_theta.data(), has_grid ? static_cast<double*>(grid.data()) : nullptr,
                         workspace.data());
  Bytes written = diff_theta.copy();
  if (!has_grid) return written;
  const Bytes of_grid = grid.copy();
  written.insert(written.end(), of_grid.begin(), of_grid.end());
  return written;
}

void expect_gradients_within(const ContinuousShape& shape, GradientWay way) {
  const auto to_src = plan_input_gradient(shape, Tensor{shape.src.dims, {}}, {}, way);
  ASSERT_TRUE(to_src) << to_src.why().detail;
  ASSERT_EQ(to_src->way, way);
  expect_same_bits("the input's gradient",
                   [&](std::optional<Side> side) { return input_gradient(*to_src, side); });
  const auto to_theta = plan_theta_gradient(shape, {}, way);
  ASSERT_TRUE(to_theta) << to_theta.why().detail;
  ASSERT_EQ(to_theta->way, way);
  expect_same_bits("theta's gradient",
                   [&](std::optional<Side> side) { return theta_gradient(*to_theta, side); });
}

TEST(Bounds, HoldForTheContinuousLayersGradients) {
  for (const KernelFunction function : {KernelFunction::kNet, KernelFunction::kNetK,
                                        KernelFunction::kKeys, KernelFunction::kNetKNearest}) {
    for (const Dtype dtype : kDtypes) {
      for (const Layer& layer : kLayers) {
        const ContinuousShape shape = shape_of(layer, function, dtype);
        expect_gradients_within(shape, GradientWay::kFeatures);
        if (function == KernelFunction::kKeys) continue;
        expect_gradients_within(shape, GradientWay::kPhases);
      }
    }
  }
}

// Shared and unshared, images and maps around the vectors.
TEST(Bounds, HoldForCntksConvolution) {
  for (const char* line :
       {" src=17x9x3x2 weights=15x27 kernel=3,3,3 stride=1,2,3 autoPadding=true,true,false "
        "mapCount=15",
        " src=16x7x2x3 weights=1904x18 kernel=3,3,2 stride=1,1,2 autoPadding=true,true,false "
        "sharing=false mapCount=17",
        " src=15x8x3x2 weights=135x27 kernel=3,3,3 stride=1,1,3 autoPadding=true,true,false "
        "sharing=false,true,true mapCount=9",
        " src=33x1x1x1 weights=31x1 kernel=1,1,1 stride=1,1,1 mapCount=31"}) {
    for (const Dtype dtype : kDtypes) {
      const Problem problem = problem_of("CntkConvolution " + std::string(to_string(dtype)) + line);
      const auto shape = infer_cntk({dtype, problem.src, problem.weights, problem.dst},
                                    std::get<CntkConvolutionAttributes>(problem.attributes),
                                    Reading::kImplemented);
      ASSERT_TRUE(shape) << line << shape.why().detail;
      for (const Isa isa : testing::supported_isas()) {
        const auto plan = make_cntk_plan(*shape, {.isa = isa});
        ASSERT_TRUE(plan) << line;
        for (const bool one_shot : {false, true}) {
          expect_same_bits(
              print(problem) + (one_shot ? " one shot" : " packed"),
              [&](std::optional<Side> side) { return run(*plan, shape->weights, one_shot, side); });
        }
      }
    }
  }
}

Bytes run(const PhasePlan& plan, const Tensor& from, std::optional<Side> side) {
  Memory src(side, random_elements(from, plan.dtype, 1), "src", plan.dtype);
  Memory dst(side, bytes_of(plan.dst(), plan.dtype), "dst", plan.dtype);
  execute(plan, src.data(), dst.data());
  return dst.copy();
}

TEST(Bounds, HoldForSpaceToBatchAndBatchToSpace) {
  for (const Dtype dtype : kDtypes) {
    for (const Extent depth : {1, 2, 3, 7, 8, 9, 15, 16, 17, 33}) {
      for (const Extent width : {4, 8, 16, 18, 32}) {
        const Tensor space{{2, 6, width, depth}, {}};
        const auto split = plan_space_to_batch(dtype, space, std::nullopt,
                                               {.block_size = 2, .paddings = {1, 1, 2, 0}}, 1);
        ASSERT_TRUE(split);
        expect_same_bits("space to batch",
                         [&](std::optional<Side> side) { return run(*split, space, side); });
        const Tensor batch{split->dst().dims, {}};
        const auto joined = plan_batch_to_space(dtype, batch, std::nullopt,
                                                {.block_size = 2, .crops = {1, 1, 2, 0}}, 1);
        ASSERT_TRUE(joined);
        expect_same_bits("batch to space",
                         [&](std::optional<Side> side) { return run(*joined, batch, side); });
      }
    }
  }
}

}  // namespace
}  // namespace concord::optimized
