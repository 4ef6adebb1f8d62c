// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/convolution.h"

#include <algorithm>

#include "spec/grid.h"
#include "spec/tensor_values.h"

namespace concord::backends::faulty {
namespace {

Spatial three(const Extents& values, Extent missing) {
  Spatial result{missing, missing, missing};
  std::copy_backward(values.begin(), values.end(), result.end());
  return result;
}

std::vector<float> read(Dtype dtype, const Tensor& view, const void* data) {
  const auto values = read_tensor(dtype, view, data);
  std::vector<float> floats(values.size());
  std::transform(values.begin(), values.end(), floats.begin(),
                 [](double value) { return static_cast<float>(value); });
  return floats;
}

Tap tap_at(const Nest& nest, const At& at, Extent ic, const Spatial& k) {
  Tap tap{at, ic, k, at.n, at.oc / nest.OCG() * nest.ICG() + ic, {}, at.oc, ic, k, true};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    tap.i[axis] = at.o[axis] * nest.S[axis] + k[axis] * nest.D[axis] - nest.P_begin[axis];
    if (tap.i[axis] < 0 || tap.i[axis] >= nest.I[axis]) tap.counts = false;
  }
  return tap;
}

// The sum through the hooks, tap by tap.
float hooked_sum_at(const Mutation& mutation, const Nest& nest, const Run& run, const At& at) {
  float sum = 0;
  for (const auto [ic, kd, kh, kw] : Grid<4>{{nest.ICG(), nest.K[0], nest.K[1], nest.K[2]}}) {
    Tap tap = tap_at(nest, at, ic, {kd, kh, kw});
    if (mutation.tap != nullptr) mutation.tap(nest, tap);
    if (!tap.counts) continue;
    const float product = run.src[src_place(nest, tap.n, tap.c, tap.i)] *
                          run.weights[weights_place(nest, tap.w_oc, tap.w_ic, tap.w_k)];
    sum = mutation.add != nullptr ? mutation.add(run.problem.dtype, sum, product) : sum + product;
  }
  return sum;
}

// The same sum in the same order where no hook wants the taps; several times as fast.
float plain_sum_at(const Nest& nest, const Run& run, const At& at) {
  const Extent first = at.oc / nest.OCG() * nest.ICG();
  const Extent left = at.o[2] * nest.S[2] - nest.P_begin[2];
  float sum = 0;
  for (const auto [ic, kd, kh] : Grid<3>{{nest.ICG(), nest.K[0], nest.K[1]}}) {
    const Extent id = at.o[0] * nest.S[0] + kd * nest.D[0] - nest.P_begin[0];
    const Extent ih = at.o[1] * nest.S[1] + kh * nest.D[1] - nest.P_begin[1];
    if (id < 0 || id >= nest.I[0] || ih < 0 || ih >= nest.I[1]) continue;
    const std::size_t row = src_place(nest, at.n, first + ic, {id, ih, 0});
    const std::size_t weights_row = weights_place(nest, at.oc, ic, {kd, kh, 0});
    for (Extent kw = 0; kw < nest.K[2]; ++kw) {
      const Extent iw = left + kw * nest.D[2];
      if (iw < 0 || iw >= nest.I[2]) continue;
      sum += run.src[row + static_cast<std::size_t>(iw)] *
             run.weights[weights_row + static_cast<std::size_t>(kw)];
    }
  }
  return sum;
}

}  // namespace

Nest nest_of(const PaddedConvolution& p) {
  return {p.N,
          p.G,
          p.IC,
          p.OC,
          three(p.I, 1),
          three(p.O, 1),
          three(p.K, 1),
          three(p.S, 1),
          three(p.D, 1),
          three(p.pad_begin, 0),
          three(p.pad_end, 0)};
}

std::size_t src_place(const Nest& nest, Extent n, Extent c, const Spatial& i) {
  return Grid<5>{{nest.N, nest.IC, nest.I[0], nest.I[1], nest.I[2]}}.offset(
      {n, c, i[0], i[1], i[2]});
}

std::size_t weights_place(const Nest& nest, Extent oc, Extent ic, const Spatial& k) {
  return Grid<5>{{nest.OC, nest.ICG(), nest.K[0], nest.K[1], nest.K[2]}}.offset(
      {oc, ic, k[0], k[1], k[2]});
}

std::size_t dst_place(const Nest& nest, const At& at) {
  return Grid<5>{{nest.N, nest.OC, nest.O[0], nest.O[1], nest.O[2]}}.offset(
      {at.n, at.oc, at.o[0], at.o[1], at.o[2]});
}

void convolve(const Mutation& mutation, const Nest& nest, Run& run) {
  const bool hooked = mutation.tap != nullptr || mutation.add != nullptr;
  run.dst.clear();
  for (const auto [n, oc, od, oh, ow] :
       Grid<5>{{nest.N, nest.OC, nest.O[0], nest.O[1], nest.O[2]}}) {
    const At at{n, oc, {od, oh, ow}};
    float value = hooked ? hooked_sum_at(mutation, nest, run, at) : plain_sum_at(nest, run, at);
    if (!run.bias.empty()) {
      const float bias = run.bias[static_cast<std::size_t>(oc)];
      value =
          mutation.with_bias != nullptr ? mutation.with_bias(run, at, value, bias) : value + bias;
    }
    run.dst.push_back(value);
  }
}

concord_status execute(const Mutation& mutation, const Nest& true_nest, Run& run) {
  const Dtype dtype = run.problem.dtype;
  Views views = run.views;
  if (mutation.layout != nullptr) mutation.layout(run.problem, views);
  Nest nest = true_nest;
  if (mutation.geometry != nullptr) mutation.geometry(run.problem, nest);

  run.src = read(dtype, views.src, run.buffers.src.data);
  run.weights = read(dtype, views.weights, run.buffers.weights.data);
  if (views.bias) run.bias = read(dtype, *views.bias, run.buffers.bias.data);
  if (mutation.inputs != nullptr) mutation.inputs(run);
  convolve(mutation, nest, run);
  if (mutation.outputs != nullptr) mutation.outputs(run);
  if (run.writes_dst) {
    std::vector<double> values(run.dst.size());
    std::transform(run.dst.begin(), run.dst.end(), values.begin(), [&](float value) {
      return mutation.store != nullptr ? mutation.store(dtype, value) : value;
    });
    write_tensor(dtype, views.dst, values, run.buffers.dst.data);
  }
  if (mutation.afterwards != nullptr) mutation.afterwards(run);
  return mutation.status;
}

}  // namespace concord::backends::faulty
