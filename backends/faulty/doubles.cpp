// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/doubles.h"

#include <algorithm>

#include "backends/faulty/convolution.h"
#include "spec/grid.h"
#include "spec/tensor_values.h"

namespace concord::backends::faulty {

void change(double (*hook)(double), std::vector<double>& values) {
  if (hook != nullptr) std::transform(values.begin(), values.end(), values.begin(), hook);
}

void execute(const DoubleHooks& hooks, Nest nest, const Views& views, const Buffers& buffers) {
  if (hooks.geometry != nullptr) hooks.geometry(nest);
  const auto read = [](const Tensor& view, const void* data, double (*hook)(double)) {
    auto values = read_tensor(Dtype::kF64, view, data);
    change(hook, values);
    return values;
  };
  const auto src = read(views.src, buffers.src.data, hooks.src);
  const auto weights = read(views.weights, buffers.weights.data, hooks.weights);
  std::vector<double> bias, dst;
  if (views.bias) bias = read(*views.bias, buffers.bias.data, hooks.bias);
  for (const auto [n, oc] : Grid<2>{{nest.N, nest.OC}}) {
    for (const Spatial& o : Grid(nest.O)) {
      double sum = 0;
      for (Extent ic = 0; ic < nest.ICG(); ++ic) {
        for (const Spatial& k : Grid(nest.K)) {
          const Tap tap = tap_at(nest, {n, oc, o}, ic, k);
          if (!tap.counts) continue;
          const double x = src[src_place(nest, tap.n, tap.c, tap.i)];
          const double w = weights[weights_place(nest, oc, ic, k)];
          sum = hooks.add != nullptr ? hooks.add(sum, x, w) : sum + x * w;
        }
      }
      dst.push_back(bias.empty() ? sum : sum + bias[static_cast<std::size_t>(oc)]);
    }
  }
  change(hooks.result, dst);
  write_tensor(Dtype::kF64, views.dst, dst, buffers.dst.data);
}

}  // namespace concord::backends::faulty
