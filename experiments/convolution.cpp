// SPDX-License-Identifier: Apache-2.0
#include "experiments/convolution.h"

#include <algorithm>
#include <cmath>

namespace concord::experiments {
namespace {

// The first two axes exchanged and, for filters that are turned round, the last two reversed.
Values exchanged(const Values& from, bool reversed) {
  Values to({from.dims[1], from.dims[0], from.dims[2], from.dims[3]});
  const Extent inner = from.dims[2] * from.dims[3];
  for (Extent i = 0; i < from.dims[0]; ++i) {
    for (Extent j = 0; j < from.dims[1]; ++j) {
      const auto source = from.at.begin() + (i * from.dims[1] + j) * inner;
      const auto target = to.at.begin() + (j * from.dims[0] + i) * inner;
      if (reversed) {
        std::reverse_copy(source, source + inner, target);
      } else {
        std::copy(source, source + inner, target);
      }
    }
  }
  return to;
}

// The gradients of a stride are those of stride 1 with zeros between the elements of delta.
Values spread(const Values& delta, Extent stride, Extent rows, Extent columns) {
  Values result({delta.dims[0], delta.dims[1], rows, columns});
  std::size_t at = 0;
  for (Extent plane = 0; plane < delta.dims[0] * delta.dims[1]; ++plane) {
    for (Extent i = 0; i < delta.dims[2]; ++i) {
      for (Extent j = 0; j < delta.dims[3]; ++j) {
        result.at[static_cast<std::size_t>((plane * rows + i * stride) * columns + j * stride)] =
            delta.at[at++];
      }
    }
  }
  return result;
}

Values at_stride_1(const Values& src, const Values& weights, const Values& delta,
                   const Steps& steps) {
  if (steps.stride == 1) return delta;
  const Extent beyond = 2 * steps.pad + 1 - weights.dims[2];
  return spread(delta, steps.stride, src.dims[2] + beyond, src.dims[3] + beyond);
}

}  // namespace

Values convolve(Backend& backend, const Values& src, const Values& weights, const Steps& steps) {
  Problem problem;
  ConvolutionAttributes attributes;
  attributes.strides = {steps.stride, steps.stride};
  attributes.dilations = {1, 1};
  attributes.pads_begin = attributes.pads_end = {steps.pad, steps.pad};
  attributes.data_format = DataFormat::kNCX;
  attributes.weights_format = WeightsFormat::kOIX;
  problem.src.dims = src.dims;
  problem.weights.dims = weights.dims;
  problem.attributes = attributes;
  return backend.run(problem, {&src, &weights});
}

Values convolution_by_input(Backend& backend, const Values& src, const Values& weights,
                            const Values& delta, const Steps& steps) {
  return convolve(backend, at_stride_1(src, weights, delta, steps), exchanged(weights, true),
                  {1, weights.dims[2] - 1 - steps.pad});
}

Values convolution_by_weights(Backend& backend, const Values& src, const Values& weights,
                              const Values& delta, const Steps& steps) {
  const Values filters = exchanged(at_stride_1(src, weights, delta, steps), false);
  return exchanged(convolve(backend, exchanged(src, false), filters, {1, steps.pad}), false);
}

Values initial_weights(const Extents& dims, Random& random) {
  Values weights(dims);
  const double bound = 1 / std::sqrt(static_cast<double>(dims[1] * dims[2] * dims[3]));
  std::uniform_real_distribution<double> uniform(-bound, bound);
  for (float& weight : weights.at) weight = static_cast<float>(uniform(random));
  return weights;
}

}  // namespace concord::experiments
