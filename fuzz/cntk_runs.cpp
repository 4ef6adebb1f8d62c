// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cntk_runs.h"

#include <numeric>

#include "fuzz/tensor_bytes.h"
#include "spec/tensor_values.h"

namespace concord::fuzz {
namespace {

// The tensor with its first axis last, so that its values come in the order of CNTK's memory.
Tensor reversed(const Tensor& tensor) {
  std::vector<std::size_t> axes(tensor.rank());
  std::iota(axes.rbegin(), axes.rend(), std::size_t{0});
  Tensor strided = tensor;
  if (strided.strides.empty()) strided.strides = column_major_strides(tensor.dims);
  return permute(strided, axes);
}

}  // namespace

std::vector<double> cntk_integers(const Extents& dims, std::uint32_t seed) {
  std::vector<double> values(static_cast<std::size_t>(element_count(dims).value()));
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (double& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<double>((state >> 16) % 19) - 9;
  }
  return values;
}

CntkValues cntk_integers(const optimized::CntkTensors& tensors, std::uint32_t seed) {
  return {cntk_integers(tensors.src.dims, seed), cntk_integers(tensors.weights.dims, seed + 1)};
}

std::vector<double> run_cntk(const optimized::CntkPlan& plan, const CntkValues& values,
                             bool one_shot) {
  const optimized::CntkShape& shape = plan.shape;
  const auto src = bytes_of(shape.dtype, reversed(shape.src), values.src);
  const auto weights = bytes_of(shape.dtype, shape.weights, values.weights);
  const Tensor dst_shape = reversed(shape.dst);
  std::vector<std::byte> dst(
      static_cast<std::size_t>(*element_span(dst_shape)) * size_of(shape.dtype), std::byte{0xFF});
  std::vector<std::byte> workspace(one_shot ? plan.one_shot_workspace_bytes : plan.workspace_bytes,
                                   std::byte{0xFF});
  if (one_shot) {
    execute(plan, src.data(), weights.data(), dst.data(), workspace.data());
  } else {
    execute(plan, pack(plan, weights.data()), src.data(), dst.data(), workspace.data());
  }
  return read_tensor(shape.dtype, dst_shape, dst.data());
}

reference::CntkOperands operands_of(const optimized::CntkTensors& tensors) {
  return {tensors.src.dims, tensors.weights.dims};
}

}  // namespace concord::fuzz
