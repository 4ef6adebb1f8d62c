// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/cntk.h"

#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

// Dense strides for `extents`, visited in `order`, the fastest first.
CntkNest::Strides dense(const std::array<Extent, 5>& extents,
                        const std::array<std::size_t, 5>& order) {
  CntkNest::Strides strides{};
  Extent next = 1;
  for (const std::size_t axis : order) {
    strides[axis] = next;
    next *= extents[axis];
  }
  return strides;
}

constexpr std::array<std::size_t, 5> kAsWritten = {0, 1, 2, 3, 4};
// HWC's: channels first, then width and height, or height and width.
constexpr std::array<std::size_t, 5> kWidthFirst = {2, 0, 1, 3, 4}, kHeightFirst = {2, 1, 0, 3, 4};
// And of its weights: the run is the fastest.
constexpr std::array<std::size_t, 5> kWeightsWidthFirst = {4, 0, 1, 2, 3};
constexpr std::array<std::size_t, 5> kWeightsHeightFirst = {4, 1, 0, 2, 3};

template <class Of>
std::array<Extent, 5> extents_of(const CntkGeometry& g, Extent last, Of of) {
  return {of(g.axes[0]), of(g.axes[1]), of(g.axes[2]), of(g.axes[3]), last};
}

CntkNest ordered(const CntkGeometry& g, const std::array<std::size_t, 5>& images,
                 const std::array<std::size_t, 5>& weights) {
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
  const auto& axes = run.nest.g.axes;
  double sum = 0;
  for (const auto [k3, k2, k1, k0] :
       Grid<4>{{axes[3].kernel, axes[2].kernel, axes[1].kernel, axes[0].kernel}}) {
    CntkTap tap = tap_at(run.nest.g, at, {k0, k1, k2, k3});
    if (hooks.tap != nullptr) hooks.tap(run.nest, tap);
    if (!tap.counts) continue;
    const double x = run.src[place_of(run.nest.src, tap.x, tap.at.sample)];
    const double w = run.weights[place_of(run.nest.weights, tap.w_k, tap.at.run)];
    sum += hooks.product != nullptr ? hooks.product(x, w) : x * w;
  }
  return sum;
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
  const auto outputs = extents_of(g, g.samples, [](const auto& axis) { return axis.output(); });
  for (const auto [sample, o3, o2, o1, o0] :
       Grid<5>{{outputs[4], outputs[3], outputs[2], outputs[1], outputs[0]}}) {
    CntkPlace at = place_at(g, sample, {o0, o1, o2, o3});
    if (hooks.place != nullptr) hooks.place(run.nest, at);
    run.dst[place_of(run.nest.dst, {o0, o1, o2, o3}, sample)] = sum_at(hooks, run, at);
  }
  if (hooks.outputs != nullptr) hooks.outputs(run);
}

}  // namespace concord::backends::faulty
