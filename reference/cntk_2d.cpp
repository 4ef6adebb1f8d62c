// SPDX-License-Identifier: Apache-2.0
#include "reference/cntk_2d.h"

#include <algorithm>

#include "reference/assignment.h"
#include "reference/checks.h"
#include "reference/sum.h"
#include "reference/wide.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

// width, height, channels (or maps) and samples of a tensor.
struct Image {
  Extent W, H, C, samples;
};

enum class Order { kWhc, kCwh, kChw };  // the first letter is the fastest axis

Order order_of(const Cntk2dGeometry& g) {
  if (g.layout == CntkLayout::kCudnn) return Order::kWhc;
  return g.reading == Reading::kDocumented ? Order::kCwh : Order::kChw;
}

std::size_t place(Order order, const Image& shape, Extent w, Extent h, Extent c, Extent sample) {
  switch (order) {
    case Order::kWhc:
      return Grid<4>{{shape.samples, shape.C, shape.H, shape.W}}.offset({sample, c, h, w});
    case Order::kCwh:
      return Grid<4>{{shape.samples, shape.H, shape.W, shape.C}}.offset({sample, h, w, c});
    case Order::kChw:
      return Grid<4>{{shape.samples, shape.W, shape.H, shape.C}}.offset({sample, w, h, c});
  }
  return 0;
}

// Where weight (kw, kh, c) of `map` is: `kernel` has its extents, with the maps as samples.
std::size_t weight_place(Order order, const Image& kernel, Extent kw, Extent kh, Extent c,
                         Extent map) {
  switch (order) {
    case Order::kWhc:
      return Grid<4>{{kernel.samples, kernel.C, kernel.H, kernel.W}}.offset({map, c, kh, kw});
    case Order::kCwh:
      return Grid<4>{{kernel.C, kernel.H, kernel.W, kernel.samples}}.offset({c, kh, kw, map});
    case Order::kChw:
      return Grid<4>{{kernel.C, kernel.W, kernel.H, kernel.samples}}.offset({c, kw, kh, map});
  }
  return 0;
}

// floor(kernel / 2) cells before the input, wherever that puts the last window.
void pad_by_half(CntkAxis& x, Reading reading) {
  if (reading == Reading::kFirstVersion) {
    x.positions = static_cast<Extent>(floor_divide(Wide{x.input} - x.kernel % 2, x.stride)) + 1;
  }
  x.lower = x.kernel / 2;
  x.upper = static_cast<Extent>((Wide{x.positions} - 1) * x.stride + x.kernel - x.input - x.lower);
}

// What is wrong with an attribute by the name that the 2-D form has for it.
Findings check_attributes(const CntkConvolution2dAttributes& a) {
  Findings findings;
  const auto at_least = [&](Fault fault, const char* name, Extent value, Extent least) {
    if (value >= least) return;
    findings.add(fault, assignment(name, {value}) + ": less than " + std::to_string(least));
  };
  at_least(Fault::kSize, "maxTempMemSizeInSamples", a.max_temp_mem_size_in_samples, 0);
  at_least(Fault::kStrides, "horizontalStride", a.horizontal_stride, 1);
  at_least(Fault::kStrides, "verticalStride", a.vertical_stride, 1);
  at_least(Fault::kMapCount, "mapCount", a.map_count, 0);
  at_least(Fault::kKernel, "kernelWidth", a.kernel_width, 1);
  at_least(Fault::kKernel, "kernelHeight", a.kernel_height, 1);
  if (a.zero_padding != 0 && a.zero_padding != 1) {
    findings.add(Fault::kPadding, assignment("zeroPadding", {a.zero_padding}) + ": not a flag");
  }
  if (a.image_layout != CntkLayout::kCudnn && a.image_layout != CntkLayout::kHwc) {
    findings.add(Fault::kPadding,
                 "imageLayout: no such value, " + std::to_string(static_cast<int>(a.image_layout)));
  }
  return findings;
}

}  // namespace

Result<Cntk2dGeometry> resolve_cntk_2d(const CntkOperands& operands,
                                       const CntkConvolution2dAttributes& a, Reading reading) {
  if (operands.src.size() != 4) {
    return Refusal{Fault::kRank, "src=" + to_string(Tensor{operands.src, {}}) +
                                     ": not width, height, channels and samples"};
  }
  const bool hwc = a.image_layout == CntkLayout::kHwc;
  CntkOperands whc = operands;
  if (hwc) std::rotate(whc.src.begin(), whc.src.begin() + 1, whc.src.begin() + 3);
  const Extent channels = whc.src[2];
  const CntkConvolutionAttributes n_d{
      .kernel = {a.kernel_width, a.kernel_height, std::max<Extent>(channels, 1)},
      .map_count = {a.map_count},
      .stride = {a.horizontal_stride, a.vertical_stride, std::max<Extent>(channels, 1)},
      .sharing = {1},
      .auto_padding = {a.zero_padding, a.zero_padding, 0},
      .lower_pad = {0},
      .upper_pad = {0},
      .max_temp_mem_size_in_samples = a.max_temp_mem_size_in_samples};
  const bool documented = reading == Reading::kDocumented;
  const auto resolved =
      resolve_cntk(whc, n_d, documented ? Reading::kDocumented : Reading::kImplemented);
  const Findings findings = check_attributes(a);
  if (findings.any() && (resolved || findings.first().fault <= resolved.why().fault)) {
    return findings.first();
  }
  if (!resolved) return resolved.why();

  Cntk2dGeometry g{.axes = *resolved, .layout = a.image_layout, .reading = reading, .dst = {}};
  const bool by_half = reading == Reading::kFirstVersion || (hwc && !documented);
  if (a.zero_padding == 1 && by_half) {
    pad_by_half(g.axes.axes[0], reading);
    pad_by_half(g.axes.axes[1], reading);
  }
  const Extent W = g.axes.axes[0].output(), H = g.axes.axes[1].output();
  const Extent maps = g.axes.axes[2].output(), samples = g.axes.samples;
  g.axes.dst = {W, H, maps, samples};
  g.dst = hwc ? Extents{maps, W, H, samples} : g.axes.dst;
  if (!element_count(g.dst)) {
    return Refusal{Fault::kSize,
                   "dst=" + to_string(Tensor{g.dst, {}}) + ": its elements overflow 64 bits"};
  }
  return g;
}

Oracle evaluate_cntk_2d(const Cntk2dGeometry& g, std::span<const double> in,
                        std::span<const double> weights) {
  const CntkAxis& width = g.axes.axes[0];
  const CntkAxis& height = g.axes.axes[1];
  const Extent channels = g.axes.axes[2].input, maps = g.axes.axes[2].output();
  const Extent samples = g.axes.samples;
  const Order order = order_of(g);
  const Image in_shape{width.input, height.input, channels, samples};
  const Image out_shape{width.positions, height.positions, maps, samples};
  const Image kernel{width.kernel, height.kernel, channels, maps};

  Oracle out;
  const auto count = static_cast<std::size_t>(element_count(g.dst).value_or(0));
  out.value.resize(count);
  out.magnitude.resize(count);
  out.low.resize(count);
  for (const auto [sample, map, h, w] : Grid<4>{{samples, maps, out_shape.H, out_shape.W}}) {
    Sum sum;
    for (const auto [c, kh, kw] : Grid<3>{{channels, kernel.H, kernel.W}}) {
      const Extent x = w * width.stride + kw - width.lower;
      const Extent y = h * height.stride + kh - height.lower;
      if (x < 0 || x >= width.input || y < 0 || y >= height.input) continue;
      sum.add_product(weights[weight_place(order, kernel, kw, kh, c, map)],
                      in[place(order, in_shape, x, y, c, sample)]);
    }
    const std::size_t at = place(order, out_shape, w, h, map, sample);
    out.value[at] = sum.value;
    out.magnitude[at] = sum.magnitude;
    out.low[at] = sum.low;
  }
  return out;
}

}  // namespace concord::reference
