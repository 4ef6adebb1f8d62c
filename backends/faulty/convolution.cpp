// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/convolution.h"

#include <algorithm>

#include "backends/faulty/huge.h"
#include "spec/grid.h"
#include "spec/tensor_values.h"

namespace concord::backends::faulty {
namespace {

Spatial behind(const Extents& values, Extent missing) {
  Spatial result;
  result.fill(missing);
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

// The sum through the hooks, tap by tap.
float hooked_sum_at(const Mutation& mutation, const Nest& nest, const Run& run, const At& at) {
  const Extent cells = volume(nest.I), taps = volume(nest.K);  // of a channel
  float sum = 0;
  for (Extent ic = 0; ic < nest.ICG(); ++ic) {
    for (const Spatial& k : Grid(nest.K)) {
      Tap tap = tap_at(nest, at, ic, k);
      if (mutation.tap != nullptr) mutation.tap(nest, tap);
      if (!tap.counts) continue;
      const auto src =
          static_cast<std::size_t>((tap.n * nest.IC + tap.c) * cells) + place_in(nest.I, tap.i);
      const auto weight = static_cast<std::size_t>((tap.w_oc * nest.ICG() + tap.w_ic) * taps) +
                          place_in(nest.K, tap.w_k);
      const float product = run.src[src] * run.weights[weight];
      sum = mutation.add != nullptr ? mutation.add(run.problem.dtype, sum, product) : sum + product;
    }
  }
  return sum;
}

// A product's element of src, and where its weight lies behind the first one of an output channel.
struct Product {
  float src;
  std::size_t weight;
};

// The products of the outputs at a place, in the order of the sums: of all the output channels of a
// group the same.
void find_products(const Nest& nest, const Run& run, const At& at, std::vector<Product>& products) {
  const Extent first = at.oc / nest.OCG() * nest.ICG();
  const Extent left = at.o[kWidth] * nest.S[kWidth] - nest.P_begin[kWidth];
  Spatial rows = nest.K;
  rows[kWidth] = 1;
  products.clear();
  for (Extent ic = 0; ic < nest.ICG(); ++ic) {
    for (const Spatial& k : Grid(rows)) {
      Spatial i{};
      bool inside = true;
      for (std::size_t axis = 0; axis < kWidth; ++axis) {
        i[axis] = at.o[axis] * nest.S[axis] + k[axis] * nest.D[axis] - nest.P_begin[axis];
        inside = inside && i[axis] >= 0 && i[axis] < nest.I[axis];
      }
      if (!inside) continue;
      const std::size_t row = src_place(nest, at.n, first + ic, i);
      const std::size_t weights_row = weights_place(nest, 0, ic, k);
      for (Extent kw = 0; kw < nest.K[kWidth]; ++kw) {
        const Extent iw = left + kw * nest.D[kWidth];
        if (iw < 0 || iw >= nest.I[kWidth]) continue;
        products.push_back({run.src[row + static_cast<std::size_t>(iw)],
                            weights_row + static_cast<std::size_t>(kw)});
      }
    }
  }
}

float sum_of(const std::vector<Product>& products, const float* weights) {
  float sum = 0;
  for (const Product& product : products) sum += product.src * weights[product.weight];
  return sum;
}

// The same sums in the same order where no hook wants the taps; many times as fast.
void plain_sums(const Nest& nest, Run& run) {
  const auto of_channel = static_cast<std::size_t>(nest.ICG() * volume(nest.K));
  std::vector<Product> products;
  run.dst.assign(static_cast<std::size_t>(nest.N * nest.OC * volume(nest.O)), 0);
  if (run.dst.empty()) return;
  const Extent groups = (nest.OC + nest.OCG() - 1) / nest.OCG();  // a mutated G need not divide OC
  for (const auto [n, g] : Grid<2>{{nest.N, groups}}) {
    for (const Spatial& o : Grid(nest.O)) {
      At at{n, g * nest.OCG(), o};
      find_products(nest, run, at, products);
      for (const Extent end = std::min(at.oc + nest.OCG(), nest.OC); at.oc < end; ++at.oc) {
        run.dst[dst_place(nest, at)] =
            sum_of(products, run.weights.data() + static_cast<std::size_t>(at.oc) * of_channel);
      }
    }
  }
}

void hooked_sums(const Mutation& mutation, const Nest& nest, Run& run) {
  run.dst.clear();
  for (const auto [n, oc] : Grid<2>{{nest.N, nest.OC}}) {
    for (const Spatial& o : Grid(nest.O)) {
      run.dst.push_back(hooked_sum_at(mutation, nest, run, {n, oc, o}));
    }
  }
}

void add_bias(const Mutation& mutation, const Nest& nest, Run& run) {
  auto value = run.dst.begin();
  for (const auto [n, oc] : Grid<2>{{nest.N, nest.OC}}) {
    const float bias = run.bias[static_cast<std::size_t>(oc)];
    for (const Spatial& o : Grid(nest.O)) {
      *value = mutation.with_bias != nullptr ? mutation.with_bias(run, {n, oc, o}, *value, bias)
                                             : *value + bias;
      ++value;
    }
  }
}

}  // namespace

Tap tap_at(const Nest& nest, const At& at, Extent ic, const Spatial& k) {
  Tap tap{at, ic, k, at.n, at.oc / nest.OCG() * nest.ICG() + ic, {}, at.oc, ic, k, true};
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    tap.i[axis] = at.o[axis] * nest.S[axis] + k[axis] * nest.D[axis] - nest.P_begin[axis];
    if (tap.i[axis] < 0 || tap.i[axis] >= nest.I[axis]) tap.counts = false;
  }
  return tap;
}

Nest nest_of(const PaddedConvolution& p) {
  return {p.N,
          p.G,
          p.IC,
          p.OC,
          behind(p.I, 1),
          behind(p.O, 1),
          behind(p.K, 1),
          behind(p.S, 1),
          behind(p.D, 1),
          behind(p.pad_begin, 0),
          behind(p.pad_end, 0)};
}

std::size_t place_in(const Spatial& extents, const Spatial& index) {
  return Grid(extents).offset(index);
}

Extent volume(const Spatial& extents) {
  Extent product = 1;
  for (const Extent extent : extents) product *= extent;
  return product;
}

std::size_t src_place(const Nest& nest, Extent n, Extent c, const Spatial& i) {
  return static_cast<std::size_t>((n * nest.IC + c) * volume(nest.I)) + place_in(nest.I, i);
}

std::size_t weights_place(const Nest& nest, Extent oc, Extent ic, const Spatial& k) {
  return static_cast<std::size_t>((oc * nest.ICG() + ic) * volume(nest.K)) + place_in(nest.K, k);
}

std::size_t dst_place(const Nest& nest, const At& at) {
  return static_cast<std::size_t>((at.n * nest.OC + at.oc) * volume(nest.O)) +
         place_in(nest.O, at.o);
}

void convolve(const Mutation& mutation, const Nest& nest, Run& run) {
  if (mutation.tap != nullptr || mutation.add != nullptr) {
    hooked_sums(mutation, nest, run);
  } else {
    plain_sums(nest, run);
  }
  if (!run.bias.empty()) add_bias(mutation, nest, run);
}

concord_status execute(const Mutation& mutation, const Nest& true_nest, Run& run) {
  const Dtype dtype = run.problem.dtype;
  if (mutation.offset != nullptr || is_huge(true_nest)) {
    convolve_in_place(mutation.offset, true_nest, run);
    return mutation.status;
  }
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
