// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/lowering_cntk.h"

#include <algorithm>
#include <numeric>

namespace concord::conformance {
namespace {

using reference::CntkAxis;
using reference::CntkGeometry;

/// Elements from one index to the next: along each axis of the input, the output or the kernel, and
/// from one sample, or one kernel, to the next.
struct Steps {
  Extents axes{};
  Extent samples = 0;
};

Steps steps_of(const Tensor& tensor) {
  Steps steps{strides_of(tensor), 0};
  steps.samples = steps.axes.back();
  steps.axes.pop_back();
  return steps;
}

// Steps through elements that lie without gaps, from `first` on, `order` naming the axes from the
// fastest to the slowest.
Steps dense_steps(const Extents& dims, const std::vector<std::size_t>& order, Extent first) {
  Steps steps{Extents(dims.size()), first};
  for (const std::size_t axis : order) {
    steps.axes[axis] = steps.samples;
    steps.samples *= std::max<Extent>(dims[axis], 1);
  }
  return steps;
}

Extents kernel_of(const CntkGeometry& g) {
  Extents kernel(g.rank);
  for (std::size_t axis = 0; axis < g.rank; ++axis) kernel[axis] = g.axes[axis].kernel;
  return kernel;
}

std::vector<std::size_t> rising(std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

// One run of cells a kernel. Rows and columns of another shape, which the system takes as well,
// count as elements.
std::optional<Steps> run_steps(const Tensor& weights, const CntkGeometry& g) {
  const Extents strides = strides_of(weights);
  const bool is_matrix = weights.dims == Extents{g.kernel_count, g.kernel_size};
  if (!is_matrix && strides != dense_strides(weights.dims)) return std::nullopt;
  Steps steps = dense_steps(kernel_of(g), rising(g.rank), is_matrix ? strides[1] : 1);
  if (is_matrix) steps.samples = strides[0];
  return steps;
}

// The part that an axis has in a Convolution.
bool is_channels(const CntkAxis& x) {
  return x.positions == 1 && x.lower == 0 && x.kernel == x.input;
}

// A Convolution's own arithmetic has to come to as many windows, none of them cropped.
bool has_same_windows(const CntkAxis& x) {
  const Extent upper = std::max<Extent>(x.upper, 0);
  const Extent room = x.input + x.lower + upper - x.kernel;
  const Extent windows = room < 0 ? (room < -x.stride ? -1 : 0) : room / x.stride + 1;
  return x.lower >= 0 && windows == x.positions;
}

bool is_a_convolution(const CntkGeometry& g, const std::vector<std::size_t>& spatial) {
  const auto axes_end = g.axes.begin() + static_cast<std::ptrdiff_t>(g.rank);
  const auto have_maps = [](const CntkAxis& x) { return x.map_count > 1; };
  return !spatial.empty() && spatial.size() <= 3 &&
         std::all_of(g.axes.begin(), axes_end, [](const CntkAxis& x) { return x.sharing; }) &&
         std::count_if(g.axes.begin(), axes_end, have_maps) <= 1 &&
         std::all_of(spatial.begin(), spatial.end(),
                     [&](std::size_t axis) { return has_same_windows(g.axes[axis]); });
}

/// Builds a tensor axis by axis.
struct View {
  Tensor tensor{};
  void add(Extent extent, Extent step) {
    tensor.dims.push_back(extent);
    tensor.strides.push_back(step);
  }
  // [.., spatial.., c] or [.., c, spatial..].
  void put_channels(Extent extent, Extent step, bool last, std::size_t place) {
    const auto at = last ? tensor.dims.size() : place;
    tensor.dims.insert(tensor.dims.begin() + static_cast<std::ptrdiff_t>(at), extent);
    tensor.strides.insert(tensor.strides.begin() + static_cast<std::ptrdiff_t>(at), step);
  }
  // Where one element is all that an axis has, its step means nothing: that of a dense tensor.
  Tensor finished() const {
    const Extents dense = dense_strides(tensor.dims);
    Tensor view = tensor;
    for (std::size_t axis = 0; axis < dense.size(); ++axis) {
      if (view.dims[axis] <= 1) view.strides[axis] = dense[axis];
    }
    return view;
  }
};

Tensor without_dense_strides(Tensor tensor) {
  if (tensor.strides == dense_strides(tensor.dims)) tensor.strides.clear();
  return tensor;
}

/// Where the elements of all tensors are, by the axes of the geometry.
struct Places {
  Steps src, weights, dst;
};

std::optional<Lowered> as_convolution(const Problem& problem, const CntkGeometry& g,
                                      const Places& places) {
  std::vector<std::size_t> spatial = rising(g.rank);
  const std::size_t last = g.rank - 1;
  const bool has_channels = g.rank > 1 && is_channels(g.axes[last]);
  if (has_channels) spatial.pop_back();
  if (!is_a_convolution(g, spatial)) return std::nullopt;
  // In the order in which src has them, so that what is dense stays so.
  std::stable_sort(spatial.begin(), spatial.end(), [&](std::size_t a, std::size_t b) {
    return places.src.axes[a] > places.src.axes[b];
  });
  const bool channels_last =
      has_channels && places.src.axes[last] < places.src.axes[spatial.back()];

  ConvolutionAttributes attributes;
  attributes.data_format = channels_last ? DataFormat::kNXC : DataFormat::kNCX;
  attributes.weights_format = channels_last ? WeightsFormat::kXIO : WeightsFormat::kOIX;
  View src, weights, dst;
  src.add(g.samples, places.src.samples);
  dst.add(g.samples, places.dst.samples);
  for (const std::size_t axis : spatial) {
    const CntkAxis& x = g.axes[axis];
    src.add(x.input, places.src.axes[axis]);
    weights.add(x.kernel, places.weights.axes[axis]);
    dst.add(x.positions, places.dst.axes[axis]);
    attributes.strides.push_back(x.stride);
    attributes.dilations.push_back(1);
    attributes.pads_begin.push_back(x.lower);
    attributes.pads_end.push_back(std::max<Extent>(x.upper, 0));
  }
  // Output o of an axis is position o mod positions of map o / positions.
  std::size_t mapped = last;
  for (std::size_t axis = 0; axis < g.rank; ++axis) {
    if (g.axes[axis].map_count > 1) mapped = axis;
  }
  const Extent maps = g.axes[mapped].map_count;
  const Extent map_step = places.dst.axes[mapped] * std::max<Extent>(g.axes[mapped].positions, 1);
  const Extent channels = has_channels ? g.axes[last].input : 1;
  const Extent channel_step = has_channels ? places.src.axes[last] : 1;
  const Extent cell_step = has_channels ? places.weights.axes[last] : 1;
  src.put_channels(channels, channel_step, channels_last, 1);
  dst.put_channels(maps, map_step, channels_last, 1);
  weights.put_channels(channels, cell_step, channels_last, 0);
  weights.put_channels(maps, places.weights.samples, channels_last, 0);

  Lowered lowered;
  lowered.problem.dtype = problem.dtype;
  lowered.problem.src = without_dense_strides(src.finished());
  lowered.problem.weights = without_dense_strides(weights.finished());
  lowered.problem.attributes = attributes;
  lowered.dst = dst.finished();
  if (problem.dst || lowered.dst.strides != dense_strides(lowered.dst.dims)) {
    lowered.problem.dst = lowered.dst;
  }
  return lowered;
}

bool is_dense(const Tensor& tensor) {
  return strides_of(tensor) == column_major_strides(tensor.dims);
}

// HWC: [C,W,H,samples] as the document has it, and with height before width as the system does.
std::optional<Places> hwc_places(const Problem& problem, const reference::Resolution& resolution,
                                 const reference::Cntk2dGeometry& g) {
  constexpr std::size_t kWidth = 0, kHeight = 1, kChannels = 2;
  if (strides_of(problem.weights) != dense_strides(problem.weights.dims)) return std::nullopt;
  const bool documented = g.reading == Reading::kDocumented;
  const auto image = documented ? std::vector<std::size_t>{kChannels, kWidth, kHeight}
                                : std::vector<std::size_t>{kChannels, kHeight, kWidth};
  const auto cells = documented ? std::vector<std::size_t>{kWidth, kHeight, kChannels}
                                : std::vector<std::size_t>{kHeight, kWidth, kChannels};
  Places places;
  places.weights = dense_steps(kernel_of(g.axes), cells, std::max<Extent>(g.axes.kernel_count, 1));
  places.weights.samples = 1;  // a column holds one cell of each map
  if (documented) {
    places.src = steps_of(problem.src);
    places.dst = steps_of(resolution.dst);
    for (Steps* steps : {&places.src, &places.dst}) {
      std::rotate(steps->axes.begin(), steps->axes.begin() + 1, steps->axes.end());
    }
    return places;
  }
  if (!is_dense(problem.src) || !is_dense(resolution.dst)) return std::nullopt;
  const auto& axes = g.axes.axes;
  places.src =
      dense_steps({axes[kWidth].input, axes[kHeight].input, axes[kChannels].input}, image, 1);
  places.dst = dense_steps(
      {axes[kWidth].positions, axes[kHeight].positions, axes[kChannels].output()}, image, 1);
  return places;
}

}  // namespace

std::optional<Lowered> lower_cntk(const Problem& problem, const reference::Resolution& resolution) {
  const auto& g = std::get<CntkGeometry>(resolution.form);
  const auto weights = run_steps(problem.weights, g);
  if (!weights) return std::nullopt;
  return as_convolution(problem, g, {steps_of(problem.src), *weights, steps_of(resolution.dst)});
}

std::optional<Lowered> lower_cntk_2d(const Problem& problem,
                                     const reference::Resolution& resolution) {
  const auto& g = std::get<reference::Cntk2dGeometry>(resolution.form);
  if (g.layout == CntkLayout::kHwc) {
    const auto places = hwc_places(problem, resolution, g);
    return places ? as_convolution(problem, g.axes, *places) : std::nullopt;
  }
  const auto weights = run_steps(problem.weights, g.axes);
  if (!weights) return std::nullopt;
  return as_convolution(problem, g.axes,
                        {steps_of(problem.src), *weights, steps_of(resolution.dst)});
}

}  // namespace concord::conformance
