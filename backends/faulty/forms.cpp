// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/forms.h"

#include "spec/tensor_values.h"

namespace concord::backends::faulty {
namespace {

std::vector<double> read(const Problem& problem, Input input, const concord_buffer& buffer) {
  if (input_of(problem, input) == nullptr) return {};
  return read_tensor(problem.dtype, in_reading_order(problem, input), buffer.data);
}

bool moves_blocks(const Problem& problem) {
  return problem.operation() == Operation::kSpaceToBatch ||
         problem.operation() == Operation::kBatchToSpace;
}

std::vector<double> computed(const FormHooks& hooks, const DoubleHooks& doubles,
                             const Problem& problem, const reference::Resolution& resolution,
                             const Buffers& buffers, std::vector<double> dst) {
  auto src = read(problem, Input::kSrc, buffers.src);
  auto weights = read(problem, Input::kWeights, buffers.weights);
  if (problem.dtype == Dtype::kF64) {
    change(doubles.src, src);
    change(doubles.weights, weights);
  }
  if (std::holds_alternative<reference::Rearrangement>(resolution.form)) {
    // Bugs of what is no nest of blocks change its results alone.
    if (!moves_blocks(problem)) {
      return reference::evaluate(problem, resolution, {src, weights, {}, {}}).value;
    }
    rearrange(hooks.blocks, nest_of(problem, resolution.dst.dims), src, dst);
    return dst;
  }
  if (const auto* g = std::get_if<ChainGeometry>(&resolution.form)) {
    return chain(hooks.chain, *g, src, weights);
  }
  if (const auto* g = std::get_if<ContinuousChainGeometry>(&resolution.form)) {
    return compute_chain(hooks.continuous, problem, *g, std::move(src), weights);
  }
  const auto* cntk_gradient = std::get_if<reference::CntkGradient>(&resolution.form);
  const bool keeps_dst = cntk_gradient != nullptr && hooks.cntk_gradient.keeps_dst;
  if (!keeps_dst) dst.assign(dst.size(), 0.0);
  if (const auto* g = std::get_if<ContinuousGeometry>(&resolution.form)) {
    ContinuousRun run{problem,
                      *g,
                      std::move(src),
                      std::move(weights),
                      read(problem, Input::kDiffDst, buffers.diff_dst),
                      std::move(dst)};
    compute(hooks.continuous, run);
    return std::move(run.dst);
  }
  CntkRun run{problem, nest_of(resolution), std::move(src), std::move(weights), std::move(dst)};
  if (cntk_gradient != nullptr) {
    run.diff_dst = read(problem, Input::kDiffDst, buffers.diff_dst);
    run.by_weights = cntk_gradient->by_weights;
    differentiate(hooks.cntk_gradient, run);
    return std::move(run.dst);
  }
  if (hooks.cntk.nest != nullptr) hooks.cntk.nest(problem, run.nest);
  convolve(hooks.cntk, run);
  return std::move(run.dst);
}

}  // namespace

bool is_form(const Problem& problem) { return !is_discrete(problem.operation()); }

void execute(const FormHooks& hooks, const DoubleHooks& doubles, const Problem& problem,
             const reference::Resolution& resolution, const Buffers& buffers) {
  const Tensor dst = dst_in_reading_order(problem, resolution.dst);
  // What is not written keeps what it was: garbage.
  auto values = computed(hooks, doubles, problem, resolution, buffers,
                         read_tensor(problem.dtype, dst, buffers.dst.data));
  if (hooks.results != nullptr) hooks.results(problem, values);
  if (problem.dtype == Dtype::kF64) change(doubles.result, values);
  write_tensor(problem.dtype, dst, values, buffers.dst.data);
}

}  // namespace concord::backends::faulty
