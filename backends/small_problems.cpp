// SPDX-License-Identifier: Apache-2.0
#include "backends/small_problems.h"

#include <algorithm>
#include <array>

#include "spec/check.h"
#include "spec/grid.h"

namespace concord::backends {
namespace {

using Random = std::mt19937_64;

Extent between(Random& random, Extent least, Extent largest) {
  return std::uniform_int_distribution<Extent>(least, largest)(random);
}

Extents many(Random& random, std::size_t count, Extent least, Extent largest) {
  Extents values(count);
  for (Extent& value : values) value = between(random, least, largest);
  return values;
}

/// A tensor of the given channels-first dims in its own axis order, dense or with gaps.
template <class Format>
Tensor laid_out(Random& random, const Extents& channels_first, Format format, bool gaps) {
  const Tensor first{channels_first, dense_strides(channels_first)};
  Tensor tensor{unpermute(first, channels_first_axes(format, channels_first.size())).dims, {}};
  if (!gaps) return tensor;
  tensor.strides = Extents(tensor.rank());
  Extent step = between(random, 1, 2);
  for (std::size_t axis = tensor.rank(); axis-- > 0;) {
    // The stride of an axis with one element means nothing, so it can be anything.
    tensor.strides[axis] = tensor.dims[axis] == 1 ? between(random, 0, 3) : step;
    step = step * tensor.dims[axis] + between(random, 0, 3);
  }
  return tensor;
}

/// Pads that leave room for the dilated kernel, often uneven and sometimes beyond it.
void choose_pads(Random& random, const Extents& input, const Extents& kernel,
                 ConvolutionAttributes& a) {
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    const Extent reach = a.dilations[axis] * (kernel[axis] - 1) + 1;
    a.pads_begin.push_back(between(random, 0, 3));
    a.pads_end.push_back(between(random, 0, 3));
    const Extent missing = reach - input[axis] - a.pads_begin[axis] - a.pads_end[axis];
    a.pads_end[axis] += std::max<Extent>(missing, 0);
  }
}

Extents joined(Extent first, Extent second, const Extents& rest) {
  Extents result{first, second};
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

std::vector<double> integers(Random& random, std::size_t count, Extent magnitude) {
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(between(random, -magnitude, magnitude));
  return values;
}

std::size_t count_of(const Tensor& tensor) {
  return static_cast<std::size_t>(*element_count(tensor.dims));
}

/// A dense tensor's dims and strides, channels first, with three spatial axes.
struct Axes {
  template <class Format>
  Axes(const Tensor& tensor, Format format) {
    Tensor view = permute({tensor.dims, {}}, channels_first_axes(format, tensor.rank()));
    while (view.rank() < 5) {
      view.dims.insert(view.dims.begin() + 2, 1);
      view.strides.insert(view.strides.begin() + 2, 0);
    }
    std::copy(view.dims.begin(), view.dims.end(), dims.begin());
    std::copy(view.strides.begin(), view.strides.end(), strides.begin());
  }
  std::size_t at(const std::array<Extent, 5>& index) const {
    Extent place = 0;
    for (std::size_t i = 0; i < 5; ++i) place += index[i] * strides[i];
    return static_cast<std::size_t>(place);
  }
  std::array<Extent, 5> dims{}, strides{};
};

std::array<Extent, 3> spatial(Extents list, Extent lead) {
  while (list.size() < 3) list.insert(list.begin(), lead);
  return {list[0], list[1], list[2]};
}

}  // namespace

Problem random_problem(Random& random, Dtype dtype, const Limits& limits) {
  const auto rank = static_cast<std::size_t>(between(random, 1, limits.spatial_rank));
  ConvolutionAttributes a;
  a.groups = between(random, 1, 3);
  a.data_format = between(random, 0, 1) == 0 ? DataFormat::kNXC : DataFormat::kNCX;
  a.weights_format = between(random, 0, 1) == 0 ? WeightsFormat::kXIO : WeightsFormat::kOIX;
  a.strides = many(random, rank, 1, 3);
  a.dilations = many(random, rank, 1, between(random, 1, 3));
  const Extents input = many(random, rank, 1, 9), kernel = many(random, rank, 1, limits.kernel);
  choose_pads(random, input, kernel, a);
  const Extent icg = between(random, limits.fewest_channels, limits.channels);
  const Extent oc = a.groups * between(random, limits.fewest_channels, limits.channels);
  const Extent n = between(random, 1, 3);
  Extents output(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const Extent reach = a.dilations[axis] * (kernel[axis] - 1) + 1;
    const Extent padded = input[axis] + a.pads_begin[axis] + a.pads_end[axis];
    output[axis] = (padded - reach) / a.strides[axis] + 1;
  }
  const bool gaps = between(random, 0, 1) == 1;
  Problem problem;
  problem.dtype = dtype;
  problem.src = laid_out(random, joined(n, a.groups * icg, input), a.data_format, gaps);
  problem.weights = laid_out(random, joined(oc, icg, kernel), a.weights_format, gaps);
  problem.dst = laid_out(random, joined(n, oc, output), a.data_format, gaps);
  if (between(random, 0, 1) == 1) problem.bias = Tensor{{oc}, {gaps ? 2 : 1}};
  problem.attributes = a;
  return problem;
}

Values random_values(Random& random, const Problem& problem) {
  constexpr Extent kLargestBias = 4;
  const Extent outputs = permute(problem.weights, channels_first_axes(weights_format_of(problem),
                                                                      problem.weights.rank()))
                             .dims[0];
  const Extent products = *element_count(problem.weights.dims) / outputs;
  // Integers up to 2^p are exact where the significand has p bits.
  const Extent exact = Extent{1} << format_of(problem.dtype).significand_bits;
  Extent magnitude = 3;
  while (magnitude > 1 && magnitude * magnitude * products + kLargestBias > exact) --magnitude;
  CONCORD_CHECK(magnitude * magnitude * products + kLargestBias <= exact) << print(problem);
  return {integers(random, count_of(problem.src), magnitude),
          integers(random, count_of(problem.weights), magnitude),
          problem.bias ? integers(random, count_of(*problem.bias), kLargestBias)
                       : std::vector<double>{}};
}

std::vector<double> convolve_plainly(const Problem& problem, const Values& values) {
  const auto& a = std::get<ConvolutionAttributes>(problem.attributes);
  const Axes src(problem.src, a.data_format), dst(*problem.dst, a.data_format);
  const Axes weights(problem.weights, a.weights_format);
  const auto S = spatial(a.strides, 1), D = spatial(a.dilations, 1), P = spatial(a.pads_begin, 0);
  const Extent ocg = weights.dims[0] / a.groups, icg = weights.dims[1];
  std::vector<double> result(count_of(*problem.dst));
  for (const auto& o : Grid<5>(dst.dims)) {
    const Extent oc = o[1];
    double sum = values.bias.empty() ? 0 : values.bias[static_cast<std::size_t>(oc)];
    for (const auto [ic, kd, kh, kw] :
         Grid<4>({icg, weights.dims[2], weights.dims[3], weights.dims[4]})) {
      const Extent id = o[2] * S[0] + kd * D[0] - P[0];
      const Extent ih = o[3] * S[1] + kh * D[1] - P[1];
      const Extent iw = o[4] * S[2] + kw * D[2] - P[2];
      if (id < 0 || id >= src.dims[2] || ih < 0 || ih >= src.dims[3] || iw < 0 ||
          iw >= src.dims[4]) {
        continue;
      }
      sum += values.src[src.at({o[0], oc / ocg * icg + ic, id, ih, iw})] *
             values.weights[weights.at({oc, ic, kd, kh, kw})];
    }
    result[dst.at(o)] = sum;
  }
  return result;
}

}  // namespace concord::backends
