// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/cntk.h"

#include <algorithm>

#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

using Order = std::array<std::size_t, kBehind + 1>;

// Dense strides for `extents`, visited in `order`, the fastest first.
CntkNest::Strides dense(const CntkNest::Strides& extents, const Order& order) {
  CntkNest::Strides strides{};
  Extent next = 1;
  for (const std::size_t axis : order) {
    strides[axis] = next;
    next *= extents[axis];
  }
  return strides;
}

constexpr Order kAsWritten = {0, 1, 2, 3, 4, 5, 6, kBehind};
// HWC's: channels first, then width and height, or height and width.
constexpr Order kWidthFirst = {2, 0, 1, 3, 4, 5, 6, kBehind};
constexpr Order kHeightFirst = {2, 1, 0, 3, 4, 5, 6, kBehind};
// And of its weights: the run is the fastest.
constexpr Order kWeightsWidthFirst = {kBehind, 0, 1, 2, 3, 4, 5, 6};
constexpr Order kWeightsHeightFirst = {kBehind, 1, 0, 2, 3, 4, 5, 6};

template <class Of>
CntkNest::Strides extents_of(const CntkGeometry& g, Extent last, Of of) {
  CntkNest::Strides extents;
  for (std::size_t axis = 0; axis < kBehind; ++axis) extents[axis] = of(g.axes[axis]);
  extents[kBehind] = last;
  return extents;
}

// Counts through a box of the axes, the first one fastest: an index of it is that of axis
// kBehind - 1 - i.
template <class Of>
Grid<kBehind> grid_of(const CntkGeometry& g, Of of) {
  CntkIndex reversed;
  for (std::size_t axis = 0; axis < kBehind; ++axis) {
    reversed[kBehind - 1 - axis] = of(g.axes[axis]);
  }
  return Grid<kBehind>(reversed);
}

CntkIndex turned_round(CntkIndex index) {
  std::reverse(index.begin(), index.end());
  return index;
}

CntkNest ordered(const CntkGeometry& g, const Order& images, const Order& weights) {
  const auto input = [](const reference::CntkAxis& axis) { return axis.input; };
  const auto kernel = [](const reference::CntkAxis& axis) { return axis.kernel; };
  const auto output = [](const reference::CntkAxis& axis) { return axis.output(); };
  return {g, dense(extents_of(g, g.samples, input), images),
          dense(extents_of(g, g.kernel_count, kernel), weights),
          dense(extents_of(g, g.samples, output), images)};
}

CntkPlace place_at(const CntkGeometry& g, Extent sample, const CntkIndex& out) {
  CntkPlace place{sample, out, {}, {}, 0};
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    place.position[axis] = g.position(axis, out);
    place.map[axis] = g.map(axis, out);
  }
  place.run = run_of(g, place);
  return place;
}

CntkTap tap_at(const CntkGeometry& g, const CntkPlace& at, const CntkIndex& k) {
  CntkTap tap{at, k, {}, k, true};
  for (std::size_t axis = 0; axis < k.size(); ++axis) {
    const reference::CntkAxis& a = g.axes[axis];
    tap.x[axis] = at.position[axis] * a.stride + k[axis] - a.lower;
    tap.counts = tap.counts && tap.x[axis] >= 0 && tap.x[axis] < a.input;
  }
  return tap;
}

double sum_at(const CntkHooks& hooks, const CntkRun& run, const CntkPlace& at) {
  double sum = 0;
  for (const CntkIndex& k :
       grid_of(run.nest.g, [](const reference::CntkAxis& axis) { return axis.kernel; })) {
    CntkTap tap = tap_at(run.nest.g, at, turned_round(k));
    if (hooks.tap != nullptr) hooks.tap(run.nest, tap);
    if (!tap.counts) continue;
    const double x = run.src[place_of(run.nest.src, tap.x, tap.at.sample)];
    const double w = run.weights[place_of(run.nest.weights, tap.w_k, tap.at.run)];
    sum += hooks.product != nullptr ? hooks.product(x, w) : x * w;
  }
  return sum;
}

// The products of a place, each added to what it is a part of.
void add_products(const CntkGradientHooks& hooks, CntkRun& run, const CntkPlace& at) {
  for (const CntkIndex& k :
       grid_of(run.nest.g, [](const reference::CntkAxis& axis) { return axis.kernel; })) {
    CntkTap tap = tap_at(run.nest.g, at, turned_round(k));
    if (hooks.tap != nullptr) hooks.tap(run, tap);
    if (!tap.counts) continue;
    const double delta = run.diff_dst[place_of(run.nest.dst, tap.at.out, tap.at.sample)];
    const std::size_t x = place_of(run.nest.src, tap.x, tap.at.sample);
    const std::size_t w = place_of(run.nest.weights, tap.w_k, tap.at.run);
    double& sum = run.dst[run.by_weights ? w : x];
    const double product = delta * (run.by_weights ? run.src[x] : run.weights[w]);
    if (hooks.add != nullptr) {
      hooks.add(run, sum, product);
    } else {
      sum += product;
    }
  }
}

}  // namespace

Extent run_of(const CntkGeometry& g, const CntkPlace& place) {
  Extent run = 0, factor = 1;
  for (std::size_t axis = 0; axis < g.axes.size(); ++axis) {
    if (!g.axes[axis].sharing) {
      run += factor * place.position[axis];
      factor *= g.axes[axis].positions;
    }
    run += factor * place.map[axis];
    factor *= g.axes[axis].map_count;
  }
  return run;
}

std::size_t place_of(const CntkNest::Strides& strides, const CntkIndex& index, Extent last) {
  Extent place = last * strides.back();
  for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides[axis];
  return static_cast<std::size_t>(place);
}

CntkNest nest_of(const reference::Resolution& resolution) {
  const auto* flat = std::get_if<reference::Cntk2dGeometry>(&resolution.form);
  if (const auto* gradient = std::get_if<reference::CntkGradient>(&resolution.form)) {
    return ordered(gradient->forward, kAsWritten, kAsWritten);
  }
  if (flat == nullptr) {
    return ordered(std::get<CntkGeometry>(resolution.form), kAsWritten, kAsWritten);
  }
  if (flat->layout == CntkLayout::kCudnn) return ordered(flat->axes, kAsWritten, kAsWritten);
  const bool documented = flat->reading == Reading::kDocumented;
  return ordered(flat->axes, documented ? kWidthFirst : kHeightFirst,
                 documented ? kWeightsWidthFirst : kWeightsHeightFirst);
}

void convolve(const CntkHooks& hooks, CntkRun& run) {
  if (hooks.inputs != nullptr) hooks.inputs(run);
  const CntkGeometry& g = run.nest.g;
  for (Extent sample = 0; sample < g.samples; ++sample) {
    for (const CntkIndex& reversed :
         grid_of(g, [](const reference::CntkAxis& axis) { return axis.output(); })) {
      const CntkIndex out = turned_round(reversed);
      CntkPlace at = place_at(g, sample, out);
      if (hooks.place != nullptr) hooks.place(run.nest, at);
      run.dst[place_of(run.nest.dst, out, sample)] = sum_at(hooks, run, at);
    }
  }
  if (hooks.outputs != nullptr) hooks.outputs(run);
}

void differentiate(const CntkGradientHooks& hooks, CntkRun& run) {
  if (hooks.nest != nullptr) hooks.nest(run);
  const CntkGeometry& g = run.nest.g;
  for (Extent sample = 0; sample < g.samples; ++sample) {
    for (const CntkIndex& reversed :
         grid_of(g, [](const reference::CntkAxis& axis) { return axis.output(); })) {
      CntkPlace at = place_at(g, sample, turned_round(reversed));
      if (hooks.place != nullptr) hooks.place(run, at);
      add_products(hooks, run, at);
    }
  }
  if (hooks.outputs != nullptr) hooks.outputs(run);
}

}  // namespace concord::backends::faulty
