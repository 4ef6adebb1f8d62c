// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/atrous_chain.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "optimized/shape/verdict.h"

namespace concord::optimized {
namespace {

Wide blocks(Extent extent, Extent rate) { return divide_down(Wide{extent} + rate - 1, rate); }

// The phases have a number of elements, and the image padded for its filters has extents.
bool can_be_counted(const Extents& src, const Extents& weights, Extent rate) {
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    const Wide longest = std::max<Wide>(Wide{weights[axis]} * rate, rate);
    if (!is_extent(src[axis] + longest)) return false;
  }
  const Wide batch = Wide{src[0]} * rate * rate;
  if (!is_extent(batch)) return false;
  return element_count({static_cast<Extent>(batch), static_cast<Extent>(blocks(src[1], rate)),
                        static_cast<Extent>(blocks(src[2], rate)), src[3]})
      .has_value();
}

std::optional<Refusal> check(const Problem& problem, Extent rate) {
  const Extents &src = problem.src.dims, &weights = problem.weights.dims;
  if (src.size() != 4 || weights.size() != 5) {
    return Refusal{Fault::kRank, "src has " + std::to_string(src.size()) + " and weights " +
                                     std::to_string(weights.size()) + " dimensions, not 4 and 5"};
  }
  Verdict verdict;
  check_tensor("src", without_strides(problem.src), problem.dtype, &verdict);
  check_tensor("weights", without_strides(problem.weights), problem.dtype, &verdict);
  if (verdict.first()) return verdict.first();
  if (rate < 1 || rate > std::numeric_limits<std::int32_t>::max()) {
    return Refusal{Fault::kDilations, "rate is " + std::to_string(rate) + ", no positive int32"};
  }
  if (!can_be_counted(src, weights, rate)) {
    return Refusal{Fault::kSize, "the phases of rate " + std::to_string(rate) + " overflow"};
  }
  if (weights[3] != src[3] || weights[4] != src[3]) {
    return Refusal{Fault::kChannels, "weights " + to_string(problem.weights) +
                                         " do not map the channels of src onto as many"};
  }
  if (weights[0] < 1 || weights[1] % 2 == 0 || weights[2] % 2 == 0) {
    return Refusal{Fault::kKernel,
                   "weights " + to_string(problem.weights) + " have no layer or an even side"};
  }
  return std::nullopt;
}

class Stages {
 public:
  explicit Stages(const Problem& chain) : chain_(chain) {}

  void add(Attributes attributes, std::size_t weights_at = 0) {
    Problem problem;
    problem.attributes = std::move(attributes);
    problem.dtype = chain_.dtype;
    all_.stages.push_back({std::move(problem), weights_at});
  }

  void add_layer(const Attributes& attributes, Extent layer) {
    const Tensor& weights = chain_.weights;
    const Extents strides = weights.strides.empty() ? dense_strides(weights.dims) : weights.strides;
    add(attributes, static_cast<std::size_t>(layer * strides[0]) * size_of(chain_.dtype));
    all_.stages.back().problem.weights = {{weights.dims.begin() + 1, weights.dims.end()},
                                          {strides.begin() + 1, strides.end()}};
  }

  /// `between`: the dims of what each stage but the last hands on.
  ChainStages with_tensors(const Extents& between, const Tensor& dst) && {
    const auto count = static_cast<std::size_t>(element_count(between).value_or(0));
    all_.buffer_bytes = in_whole_lines(count * size_of(chain_.dtype));
    for (auto& stage : all_.stages) {
      stage.problem.src = {between, {}};
      stage.problem.dst = Tensor{between, {}};
    }
    all_.stages.front().problem.src = chain_.src;
    all_.stages.back().problem.dst = dst;
    return std::move(all_);
  }

 private:
  const Problem& chain_;
  ChainStages all_{};
};

ChainStages sequence(const Problem& problem, Extent rate, const Tensor& dst) {
  Stages stages(problem);
  for (Extent layer = 0; layer < problem.weights.dims[0]; ++layer) {
    stages.add_layer(AtrousConv2dAttributes{rate, TfPadding::kSame}, layer);
  }
  return std::move(stages).with_tensors(problem.src.dims, dst);
}

ChainStages as_printed(const Problem& problem, Extent rate, const Tensor& dst) {
  const Extents &src = problem.src.dims, &weights = problem.weights.dims;
  const Extent rows = static_cast<Extent>(blocks(src[1], rate));
  const Extent columns = static_cast<Extent>(blocks(src[2], rate));
  const Extents missing{0, rows * rate - src[1], 0, columns * rate - src[2]};
  ConvolutionAttributes dense;
  dense.strides = dense.dilations = {1, 1};
  dense.pads_begin = dense.pads_end = {weights[1] / 2, weights[2] / 2};
  Stages stages(problem);
  stages.add(SpaceToBatchAttributes{rate, missing});
  for (Extent layer = 0; layer < weights[0]; ++layer) stages.add_layer(dense, layer);
  stages.add(BatchToSpaceAttributes{rate, missing});
  return std::move(stages).with_tensors({src[0] * rate * rate, rows, columns, src[3]}, dst);
}

}  // namespace

Result<ChainStages> chain_stages(const Problem& problem, const AtrousChainAttributes& a) {
  const Tensor* const given = problem.dst ? &*problem.dst : nullptr;
  if (auto refused =
          with_tensors(check(problem, a.rate), problem.dtype,
                       {{"src", &problem.src}, {"weights", &problem.weights}, {"dst", given}})) {
    return *refused;
  }
  if (given != nullptr && given->dims != problem.src.dims) {
    return Refusal{Fault::kDst,
                   "dst is given as " + to_string(*given) + ", src is " + to_string(problem.src)};
  }
  const Tensor dst = given != nullptr ? *given : without_strides(problem.src);
  return problem.reading == Reading::kDocumented ? as_printed(problem, a.rate, dst)
                                                 : sequence(problem, a.rate, dst);
}

}  // namespace concord::optimized
