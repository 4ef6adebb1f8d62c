// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/geometry_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "reference/open_question.h"
#include "reference/reference.h"
#include "reference/tf_space_to_batch.h"

namespace concord::conformance {
namespace {

using reference::CntkAxis;
using reference::ContinuousAxis;
using reference::kHeight;
using reference::kWidth;

std::string shape_text(const Extents& dims) { return to_string(Tensor{dims, {}}); }

// The output size of one axis of a discrete convolution.
std::string discrete_axis(const reference::Geometry& g, std::size_t axis) {
  return fmt::format(
      "  {0}: O = floor((I + P_begin + P_end - (D*(K-1) + 1)) / S) + 1"
      " = floor(({1} + {2} + {3} - ({4}*({5}-1) + 1)) / {6}) + 1 = {7}\n",
      reference::axis_name(axis, g.spatial_rank), g.I[axis], g.P_begin[axis], g.P_end[axis],
      g.D[axis], g.K[axis], g.S[axis], g.O[axis]);
}

// The output size of atrous_conv2d's VALID as its document prints it.
std::string printed_axis(const reference::Geometry& g, std::size_t axis) {
  const std::size_t other = axis == kHeight ? kWidth : kHeight;
  const Extent fits = std::max<Extent>(g.I[axis] - g.D[axis] * (g.K[axis] - 1), 0);
  const char* const what = g.O[axis] < fits   ? " of them, others are left out"
                           : g.O[axis] > fits ? "; the others read zeros beyond value"
                                              : "";
  return fmt::format("  {}: O = I - 2*(K_{} - 1) = {} - 2*({} - 1) = {}; {} windows fit{}\n",
                     reference::axis_name(axis, 2), reference::axis_name(other, 2), g.I[axis],
                     g.K[other], g.O[axis], fits, what);
}

// The other way to compute an atrous_conv2d, and whether several can be chained on that way.
std::string blocks_text(const reference::Geometry& g, const AtrousConv2dAttributes& a,
                        Reading reading) {
  const Extent rate = a.rate, H = g.I[kHeight], W = g.I[kWidth];
  const auto pads = reference::required_block_paddings(
      H, W, {g.P_begin[kHeight], g.P_end[kHeight], g.P_begin[kWidth], g.P_end[kWidth]}, rate);
  std::string text = fmt::format(
      "  by blocks: SpaceToBatch block_size={0} paddings={1}, a dense VALID convolution, "
      "BatchToSpace block_size={0} crops={2}\n",
      rate, fmt::join(pads.paddings, ","), fmt::join(pads.crops, ","));
  if (a.padding != TfPadding::kSame || reading == Reading::kDocumented) return text;
  const bool odd = g.K[kHeight] % 2 == 1 && g.K[kWidth] % 2 == 1;
  const bool divides = H % rate == 0 && W % rate == 0;
  return text + fmt::format(
                    "  chained with others of rate {} between one SpaceToBatch and one "
                    "BatchToSpace: {}\n",
                    rate,
                    rate == 1 ? "exact, nothing to rearrange"
                    : !odd    ? "not exact, a side of the filter is even"
                    : divides
                        ? fmt::format("exact, {} divides {} and {}", rate, H, W)
                        : fmt::format("exact only if the padding of the phases is zeroed after "
                                      "each layer: {} does not divide {} and {}",
                                      rate, H, W));
}

// Positions, start and output of one axis of CNTK's.
std::string cntk_axis(std::size_t number, const CntkAxis& a) {
  std::string text;
  if (a.auto_padding) {
    text = fmt::format(
        "  axis {0}: positions = floor((i - 1) / stride) + 1 = floor(({1} - 1) / {2}) + 1 = {3}; "
        "start = floor((i - 1 - (positions - 1)*stride) / 2) = {4}",
        number, a.input, a.stride, a.positions, a.start());
  } else {
    text = fmt::format(
        "  axis {0}: positions = floor((i + lower + upper - kernel) / stride) + 1"
        " = floor(({1} + {2} + {3} - {4}) / {5}) + 1 = {6}; start = {7}",
        number, a.input, a.lower, a.upper, a.kernel, a.stride, a.positions, a.start());
  }
  text += fmt::format("; the first window covers {}..{}", -a.lower, a.kernel - 1 - a.lower);
  if (!a.sharing) text += "; separate weights at every position";
  return text + fmt::format("; output = positions * maps = {} * {} = {}\n", a.positions,
                            a.map_count, a.output());
}

std::string cntk_text(const reference::CntkGeometry& g) {
  std::string text;
  for (std::size_t axis = 0; axis < g.rank; ++axis) text += cntk_axis(axis + 1, g.axes[axis]);
  return text + fmt::format("  {} kernels of {} weights, {} samples at a time\n", g.kernel_count,
                            g.kernel_size, g.sub_batch);
}

std::string neighbours_text(const ContinuousAxis& axis, Extent n) {
  std::string text;
  for (const auto& neighbour : reference::neighbours(axis, n)) {
    text += fmt::format(" {}{} at {}", neighbour.m,
                        !neighbour.source ? " (zero)"
                        : *neighbour.source != neighbour.m
                            ? fmt::format(" (pixel {})", *neighbour.source)
                            : "",
                        to_string(neighbour.distance));
  }
  return text.empty() ? " none" : text;
}

// Whatever its size, an axis is shown by a few lines: nothing is listed that is not printed.
std::string continuous_axis(char name, const ContinuousAxis& a) {
  constexpr Extent kShown = 12;
  std::string text = fmt::format(
      "  {0}: scale {1}; output {2} of ceil(scale * {3}) = {4}\n"
      "  {0}: g_n = n/s + (in - 1)/2 - (out - 1)/(2s), neighbours m within {5}/2 of it, each with "
      "its distance g_n - m\n",
      name, to_string(a.scale), a.out, a.in,
      a.scale.numerator() > 0 ? (a.scale * Rational(a.in)).ceil() : 0, a.K);
  for (Extent n = 0; n < std::min(a.out, kShown); ++n) {
    text += fmt::format("     g_{} = {}:{}\n", n, to_string(reference::grid_point(a, n)),
                        a.K <= kShown ? neighbours_text(a, n)
                                      : fmt::format(" {} neighbours from {} on", a.K,
                                                    reference::first_neighbour(a, n)));
  }
  if (a.out > kShown) text += fmt::format("     and {} more\n", a.out - kShown);
  const Extent filters = std::min(a.scale.numerator(), a.out);
  if (filters > kShown) return text + fmt::format("     {} phases\n", filters);
  for (const auto& phase : reference::phases(a)) {
    text += fmt::format("     phase of {} outputs: stride {}, pads {} and {}\n", phase.count,
                        phase.stride, phase.pad_begin, phase.pad_end);
  }
  return text;
}

struct Describe {
  const Problem& problem;
  const reference::Resolution& resolution;

  std::string operator()(const reference::Geometry& g) const {
    std::string text;
    const auto* atrous = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
    const bool printed = atrous != nullptr && atrous->padding == TfPadding::kValid &&
                         problem.reading == Reading::kDocumented;
    for (std::size_t axis = g.O.size() - g.spatial_rank; axis < g.O.size(); ++axis) {
      text += printed ? printed_axis(g, axis) : discrete_axis(g, axis);
    }
    if (atrous != nullptr && !printed) text += blocks_text(g, *atrous, problem.reading);
    return text + dst_text(static_cast<double>(g.N) * static_cast<double>(g.OC) *
                           static_cast<double>(reference::volume(g.O)));
  }
  std::string operator()(const reference::Rearrangement&) const {
    return fmt::format("  dst {}\n", shape_text(resolution.dst.dims));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return dst_text(elements());
  }
  std::string operator()(const reference::ChainGeometry& g) const {
    const Extent rows = (g.rate - g.height % g.rate) % g.rate;
    const Extent columns = (g.rate - g.width % g.rate) % g.rate;
    return fmt::format(
               "  {} layers between one SpaceToBatch block_size={} paddings=0,{},0,{} and "
               "BatchToSpace\n  {}\n",
               g.layers, g.rate, rows, columns,
               g.is_exact() ? "exact as printed: no layer reads the padding of the phases"
               : g.as_printed
                   ? "as printed: the padding of the phases becomes part of the image"
                   : "exact only if the padding of the phases is zeroed after each layer") +
           dst_text(elements());
  }
  std::string operator()(const reference::CntkGeometry& g) const {
    return cntk_text(g) + dst_text(elements());
  }
  std::string operator()(const reference::CntkGradient& g) const {
    return cntk_text(g.forward) +
           fmt::format("  gradient by the {}: dst {}, at most {} products per element\n",
                       g.by_weights ? "weights" : "input", shape_text(resolution.dst.dims),
                       resolution.products);
  }
  std::string operator()(const reference::Cntk2dGeometry& g) const {
    const auto [W, H, C] =
        std::tuple(g.axes.axes[0].input, g.axes.axes[1].input, g.axes.axes[2].input);
    std::string order = fmt::format("w + {} (h + {} c)", W, H);
    if (g.layout == CntkLayout::kHwc) {
      order = g.reading == Reading::kDocumented ? fmt::format("c + {} (w + {} h)", C, W)
                                                : fmt::format("c + {} (h + {} w)", C, H);
    }
    return cntk_text(g.axes) + fmt::format("  pixel (w, h, c) of an image is element {}\n", order) +
           dst_text(elements());
  }
  std::string operator()(const reference::ContinuousGeometry& g) const {
    return continuous_axis('H', g.vertical) + continuous_axis('W', g.horizontal) +
           fmt::format("  {} neighbours per output, theta has {} parameters\n  dst {}\n", g.slots(),
                       g.parameters, shape_text(resolution.dst.dims));
  }
  std::string operator()(const reference::ContinuousChainGeometry& chain) const {
    std::string text;
    for (std::size_t j = 0; j < chain.layers.size(); ++j) {
      const reference::ContinuousGeometry& g = chain.layers[j];
      text += fmt::format("  layer {}: scales {} and {}; {}x{} to {}x{}\n", j + 1,
                          to_string(g.vertical.scale), to_string(g.horizontal.scale), g.vertical.in,
                          g.horizontal.in, g.vertical.out, g.horizontal.out);
    }
    return text + fmt::format(
                      "  sizes are the input's times the product of the scales so far, "
                      "rounded up; theta of each layer has {} parameters\n  dst {}\n",
                      chain.layers.front().parameters, shape_text(resolution.dst.dims));
  }

 private:
  double elements() const {
    return static_cast<double>(element_count(resolution.dst.dims).value());
  }
  std::string dst_text(double count) const {
    return fmt::format("  dst {}, {} products per element, {:.3g} in total\n",
                       shape_text(resolution.dst.dims), resolution.products,
                       count * static_cast<double>(resolution.products));
  }
};

}  // namespace

std::string describe_geometry(const Problem& problem) {
  const auto resolution = reference::resolve(problem);
  if (!resolution) {
    std::string text = fmt::format("  refused: {} ({})\n", resolution.why().detail,
                                   to_string(resolution.why().fault));
    if (const auto open = reference::open_question(problem)) {
      text += fmt::format("  which the documents leave open: {}\n", open->why);
    }
    return text;
  }
  return std::visit(Describe{problem, *resolution}, resolution->form);
}

std::string describe_latitude(const Problem& problem) {
  const auto why = reference::may_be_refused(problem);
  return why ? fmt::format("as implemented it may be refused: {}\n", *why) : "";
}

}  // namespace concord::conformance
