// SPDX-License-Identifier: Apache-2.0
// The gradients of CNTK's convolution: the engine and the reference agree, on any number of
// threads.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fuzz/cntk_runs.h"
#include "fuzz/operations.h"
#include "fuzz/tensor_bytes.h"
#include "optimized/engine.h"
#include "reference/reference.h"
#include "spec/rounding.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

using Values = std::vector<double>;

// Small integers in `input`; nothing where the gradient must not read.
Values values_of(const Problem& problem, Input input, std::uint32_t seed) {
  Values values = cntk_integers(input_of(problem, input)->dims, seed);
  const bool by_weights = problem.operation() == Operation::kCntkBackwardWeights;
  if (input == (by_weights ? Input::kWeights : Input::kSrc)) {
    std::fill(values.begin(), values.end(), NAN);
  }
  return values;
}

Values by_engine(const Problem& problem, const reference::Resolution& resolution,
                 const reference::Values& in, int threads) {
  const auto plan = optimized::plan_problem(problem, {.threads = threads});
  RC_ASSERT(static_cast<bool>(plan));
  const auto bytes = [&](Input input, std::span<const double> values) {
    return bytes_of(problem.dtype, in_reading_order(problem, input),
                    Values(values.begin(), values.end()));
  };
  const auto src = bytes(Input::kSrc, in.src), weights = bytes(Input::kWeights, in.weights);
  const auto delta = bytes(Input::kDiffDst, in.diff_dst);
  const Tensor dst = dst_in_reading_order(problem, resolution.dst);
  auto result =
      bytes_of(problem.dtype, dst, Values(static_cast<std::size_t>(*element_count(dst.dims)), NAN));
  std::vector<std::byte> workspace(plan->one_shot_workspace_bytes, std::byte{0xFF});
  execute(*plan, nullptr, {.src = src.data(), .weights = weights.data(), .diff_dst = delta.data()},
          result.data(), workspace.data());
  return read_tensor(problem.dtype, dst, result.data());
}

RC_GTEST_PROP(CntkGradients, AreTheReferencesBitForBitOnIntegers, (std::uint32_t seed)) {
  const Problem problem = *cntk_gradient_problem();
  RC_PRE(has_diff_dst(problem.operation()));
  const auto resolution = reference::resolve(problem);
  RC_PRE(static_cast<bool>(resolution));
  const Values src = values_of(problem, Input::kSrc, seed);
  const Values weights = values_of(problem, Input::kWeights, seed + 1);
  const Values delta = values_of(problem, Input::kDiffDst, seed + 2);
  const reference::Values in{src, weights, {}, delta};
  Values want = evaluate(problem, *resolution, in).value;
  for (double& value : want) value = round_to(problem.dtype, value);
  RC_ASSERT(by_engine(problem, *resolution, in, *rc::gen::inRange(1, 5)) == want);
  RC_TAG(std::string(to_string(problem.operation())));
}

}  // namespace
}  // namespace concord::fuzz
