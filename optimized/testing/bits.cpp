// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/bits.h"

#include <cstring>
#include <random>

#include "spec/tensor_values.h"

namespace concord::optimized::testing {
namespace {

Bytes random_elements(const Tensor& tensor, Dtype dtype, std::uint32_t seed) {
  std::vector<double> values(static_cast<std::size_t>(*element_span(tensor)));
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& value : values) value = uniform(generator);
  Bytes bytes(values.size() * size_of(dtype));
  store(dtype, values, bytes);
  return bytes;
}

}  // namespace

Bytes dst_bits(const Problem& problem, const Options& options, const RunState& state) {
  const auto plan = make_plan(problem, options);
  CONCORD_CHECK(plan) << "refused";
  const Bytes src = random_elements(problem.src, problem.dtype, 1);
  const Bytes weights = random_elements(problem.weights, problem.dtype, 2);
  Bytes moved(src.size() + state.shift);
  std::memcpy(moved.data() + state.shift, src.data(), src.size());
  Bytes workspace(
      (state.packs_before ? plan->workspace_bytes : plan->one_shot_workspace_bytes) + state.shift,
      state.dirt);
  Bytes dst(static_cast<std::size_t>(*element_count(plan->dst_dims())) * size_of(problem.dtype));
  void* const memory = workspace.data() + state.shift;
  if (state.packs_before) {
    const Packed packed = pack(*plan, weights.data(), nullptr);
    execute(*plan, packed, moved.data() + state.shift, dst.data(), memory);
  } else {
    execute(*plan, moved.data() + state.shift, weights.data(), nullptr, dst.data(), memory);
  }
  return dst;
}

}  // namespace concord::optimized::testing
