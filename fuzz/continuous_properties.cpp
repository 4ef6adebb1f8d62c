// SPDX-License-Identifier: Apache-2.0
#include "fuzz/continuous_properties.h"

#include <algorithm>
#include <array>

#include "spec/grid.h"

namespace concord::fuzz {
namespace {

using Values = std::vector<double>;
using Weight = std::function<double(Extent co, Extent ci, Extent a, Extent b)>;

// The layer with other attributes; its parameters anew, -1, 0 or 1, if it needs another number.
Layer with(Layer layer, const ContinuousAttributes& a) {
  layer.attributes = a;
  layer.tensors.dst.reset();
  const Extent needed = parameters_of(layer.tensors.src.dims, a);
  if (needed != layer.tensors.theta.dims[0]) {
    layer.tensors.theta = {{needed}, {}};
    layer.theta = integers(needed, 3);
    for (double& value : layer.theta) value = value < -3 ? -1 : value > 3 ? 1 : 0;
  }
  return layer;
}

// One with a net of one distance at a time, half-open, in zeros, of the default size.
Layer plain_net(const Layer& layer) {
  ContinuousAttributes a = layer.attributes;
  a.function = KernelFunction::kNet;
  a.size = {};
  a.ties = Ties::kHalfOpen;
  a.boundary = Boundary::kZero;
  return with(layer, a);
}

Extents dst_of(const Layer& layer) { return geometry_of(layer).dst(); }

// A convolution with the given strides and padding before, written as its formula.
Values convolve(const Layer& layer, const Extents& strides, const Extents& begin,
                const Weight& weight) {
  const Extents& in = layer.tensors.src.dims;
  const Extents out = dst_of(layer);
  const auto [K_h, K_w] = std::array{layer.attributes.kernel[0], layer.attributes.kernel[1]};
  const Grid<4> src{{in[0], in[1], in[2], in[3]}};
  const Grid<4> weights{{out[1], in[1], K_h, K_w}};
  Values w;
  for (const auto [co, ci, a, b] : weights) w.push_back(weight(co, ci, a, b));
  Values dst;
  for (const auto [n, co, i, j] : Grid<4>{{out[0], out[1], out[2], out[3]}}) {
    double sum = 0;
    for (const auto [ci, a, b] : Grid<3>{{in[1], K_h, K_w}}) {
      const Extent y = i * strides[0] + a - begin[0];
      const Extent x = j * strides[1] + b - begin[1];
      if (y < 0 || y >= in[2] || x < 0 || x >= in[3]) continue;
      sum += layer.src[src.offset({n, ci, y, x})] * w[weights.offset({co, ci, a, b})];
    }
    dst.push_back(sum);
  }
  return dst;
}

double kernel_at(const Layer& layer, Extent co, Extent ci, double vertical, double horizontal) {
  const reference::ContinuousGeometry g = geometry_of(layer);
  const auto values = reference::evaluate_net(g.net, layer.theta, {vertical, horizontal}).value;
  return values[static_cast<std::size_t>(co * g.Cin + ci)];
}

Extent floor_half(Extent value) { return value >= 0 ? value / 2 : -((1 - value) / 2); }

// [N,C,H,W] read from its other end along both axes.
Values mirrored(const Values& values, const Extents& dims) {
  const Grid<4> grid{{dims[0], dims[1], dims[2], dims[3]}};
  Values result;
  for (const auto [n, c, y, x] : grid) {
    result.push_back(values[grid.offset({n, c, dims[2] - 1 - y, dims[3] - 1 - x})]);
  }
  return result;
}

// Sets all parameters to zero but the last bias.
void ignore_distances(Layer* layer, const std::function<double(Extent)>& bias, Extent outputs) {
  std::fill(layer->theta.begin(), layer->theta.end(), 0.0);
  for (Extent i = 0; i < outputs; ++i) {
    *(layer->theta.end() - outputs + i) = bias(i);
  }
}

}  // namespace

bool strides_at_one_over_k(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = plain_net(layer).attributes;
  const Extents k{a.scale_h.denominator(), a.scale_w.denominator()};
  a.scale_h = Rational(1, k[0]);
  a.scale_w = Rational(1, k[1]);
  const Layer at = with(layer, a);
  Extents begin;
  std::array<double, 2> first{};
  bool aligned = true;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    const Extent K = a.kernel[axis];
    const Extent extra = (at.tensors.src.dims[axis + 2] - 1) % k[axis];
    const bool differ = (K - extra) % 2 != 0;
    begin.push_back(floor_half(K - extra));
    first[axis] = static_cast<double>(differ ? K - 1 : K) / 2;
    aligned = aligned && differ;
  }
  const Values values = evaluate(at);
  const Values want = convolve(at, k, begin, [&](Extent co, Extent ci, Extent y, Extent x) {
    return kernel_at(at, co, ci, first[0] - static_cast<double>(y),
                     first[1] - static_cast<double>(x));
  });
  if (values != want) return false;
  // Where parities differ nothing is on the border, and the policy on ties does not matter.
  for (const Ties ties : {Ties::kOpen, Ties::kClosed}) {
    a.ties = ties;
    if (aligned && evaluate(with(at, a)) != values) return false;
  }
  return true;
}

bool is_same_at_scale_one(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = plain_net(layer).attributes;
  a.scale_h = a.scale_w = 1;
  for (Extent& K : a.kernel) K |= 1;
  const Layer at = with(layer, a);
  const Extent half_h = a.kernel[0] / 2, half_w = a.kernel[1] / 2;
  const auto middle_h = static_cast<double>(half_h), middle_w = static_cast<double>(half_w);
  return evaluate(at) ==
         convolve(at, {1, 1}, {half_h, half_w}, [&](Extent co, Extent ci, Extent y, Extent x) {
           return kernel_at(at, co, ci, middle_h - static_cast<double>(y),
                            middle_w - static_cast<double>(x));
         });
}

bool repeats_with_the_numerator(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = layer.attributes;
  a.boundary = Boundary::kReplicate;
  Layer at = with(layer, a);
  std::fill(at.src.begin(), at.src.end(), 3.0);
  const Extents out = dst_of(at);
  const Grid<4> grid{{out[0], out[1], out[2], out[3]}};
  const Values values = evaluate(at);
  for (const auto [n, c, i, j] : grid) {
    const Extent y = i % a.scale_h.numerator();
    const Extent x = j % a.scale_w.numerator();
    if (values[grid.offset({n, c, i, j})] != values[grid.offset({n, c, y, x})]) return false;
  }
  return true;
}

bool mirrors(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = layer.attributes;
  if (a.function == KernelFunction::kNetK) a.function = KernelFunction::kNet;
  if (a.ties == Ties::kHalfOpen) a.ties = Ties::kClosed;
  const Layer at = with(layer, a);
  Layer other = at;
  other.src = mirrored(at.src, at.tensors.src.dims);
  if (a.function == KernelFunction::kNet) {
    for (Extent i = 0; i < 2 * a.widths[0]; ++i) {
      double& coefficient = other.theta[static_cast<std::size_t>(i)];  // of A1
      coefficient = -coefficient;
    }
  }
  return evaluate(other) == mirrored(evaluate(at), dst_of(at));
}

bool shifts(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = layer.attributes;
  a.boundary = Boundary::kZero;
  const Extents l{a.scale_h.denominator(), a.scale_w.denominator()};
  const Extents k{a.scale_h.numerator(), a.scale_w.numerator()};
  // Room for the image before and after the shift.
  Layer at = layer;
  Extents& dims = at.tensors.src.dims;
  const Extents image = dims;
  dims = {image[0], image[1], image[2] + l[0], image[3] + l[1]};
  at.tensors.src.strides = {};
  at = with(at, a);
  const auto placed = [&](Extent down, Extent right) {
    Layer moved = at;
    moved.src.assign(static_cast<std::size_t>(*element_count(dims)), 0.0);
    const Grid<4> from{{image[0], image[1], image[2], image[3]}};
    const Grid<4> to{{dims[0], dims[1], dims[2], dims[3]}};
    for (const auto [n, c, y, x] : from) {
      moved.src[to.offset({n, c, y + down, x + right})] = layer.src[from.offset({n, c, y, x})];
    }
    return moved;
  };
  const Values before = evaluate(placed(0, 0));
  const Values after = evaluate(placed(l[0], l[1]));
  const Extents out = dst_of(at);
  const Grid<4> grid{{out[0], out[1], out[2], out[3]}};
  for (const auto [n, c, i, j] : grid) {
    if (i + k[0] >= out[2] || j + k[1] >= out[3]) continue;
    if (after[grid.offset({n, c, i + k[0], j + k[1]})] != before[grid.offset({n, c, i, j})]) {
      return false;
    }
  }
  return true;
}

bool samples_one_function(const Layer& layer, const LayerEvaluator& evaluate) {
  const Extents out = dst_of(layer);
  ContinuousAttributes a = layer.attributes;
  a.scale_h = a.scale_h * 3;
  a.scale_w = a.scale_w * 3;
  a.size = {3 * out[2], 3 * out[3]};
  const Values coarse = evaluate(layer), fine = evaluate(with(layer, a));
  const Grid<4> grid{{out[0], out[1], out[2], out[3]}};
  const Grid<4> finer{{out[0], out[1], 3 * out[2], 3 * out[3]}};
  for (const auto [n, c, i, j] : grid) {
    if (coarse[grid.offset({n, c, i, j})] != fine[finer.offset({n, c, 3 * i + 1, 3 * j + 1})]) {
      return false;
    }
  }
  return true;
}

bool sums_boxes(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = layer.attributes;
  a.function = KernelFunction::kNet;
  a.boundary = Boundary::kZero;
  Layer at = with(layer, a);
  const Extents& in = at.tensors.src.dims;
  ignore_distances(
      &at, [](Extent pair) { return static_cast<double>(pair % 5) - 2; }, in[1] * a.channels);
  const Extents out = dst_of(at);
  // g - m within the support, in the paper's formula for g.
  const auto sees = [&](std::size_t axis, Extent n, Extent m) {
    const Rational s = axis == 0 ? a.scale_h : a.scale_w;
    const Rational g = n / s + Rational(in[axis + 2] - 1, 2) - (out[axis + 2] - 1) / (2 * s);
    const Rational d = g - m;
    const Rational half(a.kernel[axis], 2);
    if (d == half) return a.ties != Ties::kOpen;
    if (d == -half) return a.ties == Ties::kClosed;
    return d < half && d > -half;
  };
  std::array<std::vector<std::vector<bool>>, 2> seen;  // by axis, output, pixel
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    for (Extent n = 0; n < out[axis + 2]; ++n) {
      seen[axis].emplace_back();
      for (Extent m = 0; m < in[axis + 2]; ++m) seen[axis].back().push_back(sees(axis, n, m));
    }
  }
  const auto at_place = [&](std::size_t axis, Extent n, Extent m) {
    return seen[axis][static_cast<std::size_t>(n)][static_cast<std::size_t>(m)];
  };
  const Grid<4> src{{in[0], in[1], in[2], in[3]}};
  Values want;
  for (const auto [n, co, i, j] : Grid<4>{{out[0], out[1], out[2], out[3]}}) {
    double sum = 0;
    for (const auto [ci, y, x] : Grid<3>{{in[1], in[2], in[3]}}) {
      const double weight = static_cast<double>((co * in[1] + ci) % 5) - 2;
      if (at_place(0, i, y) && at_place(1, j, x)) sum += weight * at.src[src.offset({n, ci, y, x})];
    }
    want.push_back(sum);
  }
  return evaluate(at) == want;
}

bool keeps_constants(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = layer.attributes;
  a.function = KernelFunction::kKeys;
  a.kernel = {4, 4};
  if (a.boundary == Boundary::kZero) a.boundary = Boundary::kSymmetric;
  Layer at = with(layer, a);
  std::fill(at.src.begin(), at.src.end(), 1.0);
  const Extents out = dst_of(at);
  const Values values = evaluate(at);
  const Grid<4> grid{{out[0], out[1], out[2], out[3]}};
  for (const auto [n, c, i, j] : grid) {
    const double want = c < at.tensors.src.dims[1] ? 1 : 0;
    if (values[grid.offset({n, c, i, j})] != want) return false;
  }
  return true;
}

bool orders_places(const Layer& layer, const LayerEvaluator& evaluate) {
  ContinuousAttributes a = plain_net(layer).attributes;
  a.function = KernelFunction::kNetK;
  a.scale_h = a.scale_w = 1;
  for (Extent& K : a.kernel) K |= 1;
  Layer at = with(layer, a);
  const Extent K = a.kernel[0] * a.kernel[1];
  const Extent Cin = at.tensors.src.dims[1];
  const auto weight = [](Extent place) { return static_cast<double>(place % 13) - 6; };
  ignore_distances(&at, weight, a.channels * Cin * K);
  return evaluate(at) == convolve(at, {1, 1}, {a.kernel[0] / 2, a.kernel[1] / 2},
                                  [&](Extent co, Extent ci, Extent y, Extent x) {
                                    return weight((co * Cin + ci) * K + y * a.kernel[1] + x);
                                  });
}

}  // namespace concord::fuzz
