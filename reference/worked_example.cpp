// SPDX-License-Identifier: Apache-2.0
#include "reference/worked_example.h"

#include <gtest/gtest.h>

#include <numeric>

#include "spec/copy.h"

namespace concord::reference {
namespace {

Values moved(const Values& values, const Tensor& from, const Tensor& to) {
  Values result(values.size());
  copy_elements(sizeof(double), from, values.data(), to, result.data());
  return result;
}

// The same elements, their axes in the order channels first.
Values channels_first(const Values& values, const Tensor& tensor,
                      const std::vector<std::size_t>& axes) {
  const Tensor view = permute({tensor.dims, {}}, axes);
  return moved(values, view, {view.dims, {}});
}

}  // namespace

Answer answer(const std::string& line, const Values& src, const Values& weights,
              const Values& bias) {
  const auto problem = parse(line);
  EXPECT_TRUE(problem) << problem.why().detail;
  const auto geometry = resolve_discrete(*problem);
  EXPECT_TRUE(geometry) << line << ": " << geometry.why().detail;
  EXPECT_EQ(static_cast<Extent>(src.size()), element_count(problem->src.dims));
  EXPECT_EQ(static_cast<Extent>(weights.size()), element_count(problem->weights.dims));
  const std::size_t rank = problem->src.rank();
  const auto data_axes = channels_first_axes(data_format_of(*problem), rank);
  const auto weights_axes = channels_first_axes(weights_format_of(*problem), rank);
  const Oracle oracle =
      evaluate_discrete(*problem, *geometry, channels_first(src, problem->src, data_axes),
                        channels_first(weights, problem->weights, weights_axes), bias);
  const Tensor view = permute({geometry->dst.dims, {}}, data_axes);
  return {geometry->dst.dims, moved(oracle.value, {view.dims, {}}, view)};
}

Values counting(int count) {
  Values values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

}  // namespace concord::reference
