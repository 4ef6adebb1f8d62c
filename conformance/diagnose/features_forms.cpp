// SPDX-License-Identifier: Apache-2.0
// What is known of CNTK's convolutions, of blocks, and of the continuous layer.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/diagnose/features.h"

namespace concord::conformance {
namespace {

using reference::CntkAxis;
using reference::ContinuousAxis;

template <class Number>
void add_cntk_axes(std::string_view name, const reference::CntkGeometry& g, Number number,
                   Features& features) {
  Extents values;
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < g.rank; ++i) {
    values.push_back(number(g.axes[i]));
    axes.push_back(std::to_string(i + 1));
  }
  features.add_axes(name, axes, values);
}

// A flag of each axis, and of any.
template <class Flag>
void add_cntk_flags(std::string_view text, const reference::CntkGeometry& g, Flag flag,
                    Features& features) {
  for (std::size_t i = 0; i < g.rank; ++i) {
    features.add(flag(g.axes[i]), fmt::format("{} on axis {}", text, i + 1));
    features.add(flag(g.axes[i]), fmt::format("{} on an axis", text));
  }
}

void add_cntk(const reference::CntkGeometry& g, Features& f) {
  add_cntk_flags(
      "sharing is false", g, [](const CntkAxis& a) { return !a.sharing; }, f);
  add_cntk_flags(
      "autoPadding is true", g, [](const CntkAxis& a) { return a.auto_padding; }, f);
  add_cntk_flags(
      "there is explicit padding", g,
      [](const CntkAxis& a) { return !a.auto_padding && (a.lower > 0 || a.upper > 0); }, f);
  add_cntk_flags(
      "windows begin within the input", g, [](const CntkAxis& a) { return a.lower < 0; }, f);
  f.add_number("samples", g.samples);
  f.add_number("axes", static_cast<Extent>(g.rank));
  f.add_number("kernels", g.kernel_count);
  f.add_number("weights of a kernel", g.kernel_size);
  f.add(g.sub_batch < g.samples, "maxTempMemSizeInSamples is less than the samples");
  f.add(g.sub_batch > 0 && g.samples % g.sub_batch != 0,
        "maxTempMemSizeInSamples does not divide the samples");
  add_cntk_axes(
      "kernel", g, [](const CntkAxis& a) { return a.kernel; }, f);
  add_cntk_axes(
      "stride", g, [](const CntkAxis& a) { return a.stride; }, f);
  add_cntk_axes(
      "mapCount", g, [](const CntkAxis& a) { return a.map_count; }, f);
  add_cntk_axes(
      "lower padding", g, [](const CntkAxis& a) { return a.lower; }, f);
  add_cntk_axes(
      "upper padding", g, [](const CntkAxis& a) { return a.upper; }, f);
  add_cntk_axes(
      "positions", g, [](const CntkAxis& a) { return a.positions; }, f);
  add_cntk_axes(
      "input", g, [](const CntkAxis& a) { return a.input; }, f);
}

// Two neighbours are at the border of the support of some output.
bool has_ties(const ContinuousAxis& axis) {
  for (Extent n = 0; n < std::min(axis.out, axis.scale.numerator()); ++n) {
    if ((reference::grid_point(axis, n) - Rational(axis.K, 2)).is_integer()) return true;
  }
  return false;
}

void add_scale(const char* name, const Rational& scale, Features& f) {
  f.add(scale > Rational(1), fmt::format("{} > 1", name));
  f.add(scale < Rational(1), fmt::format("{} < 1", name));
  f.add(scale != Rational(1), fmt::format("{} != 1", name));
  f.add(!scale.is_integer() && scale.numerator() != 1,
        fmt::format("{} has neither numerator nor denominator 1", name));
  f.add_number(fmt::format("numerator of {}", name), scale.numerator());
  f.add_number(fmt::format("denominator of {}", name), scale.denominator());
}

template <class A>
void add_support(const A& a, Features& f) {
  f.add(true, fmt::format("ties = {}", to_string(a.ties)));
  f.add(true, fmt::format("boundary = {}", to_string(a.boundary)));
  f.add(true, fmt::format("function = {}", to_string(a.function)));
  f.add(a.slope != A{}.slope, "slope is not 1/100");
}

void add_continuous(const reference::ContinuousGeometry& g, const ContinuousAttributes& a,
                    Features& f) {
  const ContinuousAxis &v = g.vertical, &h = g.horizontal;
  add_support(a, f);
  f.add(!a.size.empty(), "size is given");
  f.add(a.size.empty(), "size is not given");
  f.add(a.scale_h != a.scale_w, "scale_h != scale_w");
  f.add(has_ties(v) || has_ties(h), "a neighbour is at the border of the support");
  f.add(v.K % 2 == 0 || h.K % 2 == 0, "the support is even on an axis");
  add_scale("scale_h", a.scale_h, f);
  add_scale("scale_w", a.scale_w, f);
  f.add_number("batch", g.N);
  f.add_number("input channels", g.Cin);
  f.add_number("output channels", g.Cout);
  f.add_axes("kernel", {"h", "w"}, {v.K, h.K});
  f.add_axes("input", {"h", "w"}, {v.in, h.in});
  f.add_axes("output", {"h", "w"}, {v.out, h.out});
  if (a.function != KernelFunction::kKeys) {
    f.add_axes("width of the net", {"1", "2"}, {g.net.w1, g.net.w2});
  }
}

// Some layer has another size than if it were alone.
bool rounds_otherwise(const reference::ContinuousChainGeometry& g) {
  const auto differs = [](const ContinuousAxis& axis) {
    return axis.out != (axis.scale * Rational(axis.in)).ceil();
  };
  return std::any_of(g.layers.begin(), g.layers.end(), [&](const auto& layer) {
    return differs(layer.vertical) || differs(layer.horizontal);
  });
}

struct Add {
  const Problem& problem;
  Features& features;

  void operator()(const reference::Geometry&) const {}
  template <class Other>
  void operator()(const Other&) const {
    add_attribute_features(problem, {}, features);
    if (problem.src.rank() == 4) features.add_axes("input", {"b", "h", "w", "c"}, problem.src.dims);
  }
  void operator()(const reference::ChainGeometry& g) const {
    features.add_number("rate", g.rate);
    features.add_number("layers", g.layers);
    features.add(g.height % g.rate != 0, "rate does not divide the height");
    features.add(g.width % g.rate != 0, "rate does not divide the width");
    features.add(g.as_printed, "reading is documented");
    features.add_axes("filter", {"h", "w"}, {g.filter_height, g.filter_width});
    features.add_axes("input", {"b", "h", "w", "c"}, problem.src.dims);
  }
  void operator()(const reference::ContinuousChainGeometry& g) const {
    const auto& a = std::get<ContinuousChainAttributes>(problem.attributes);
    add_support(a, features);
    features.add_number("layers", static_cast<Extent>(g.layers.size()));
    features.add(a.scales_h != a.scales_w, "scales_h are not scales_w");
    features.add(rounds_otherwise(g), "a size is not that of its scale times the one before");
    features.add_axes("input", {"n", "c", "h", "w"}, problem.src.dims);
    features.add_axes("kernel", {"h", "w"}, a.kernel);
  }
  void operator()(const reference::CntkGeometry& g) const { add_cntk(g, features); }
  void operator()(const reference::CntkGradient& g) const { add_cntk(g.forward, features); }
  void operator()(const reference::Cntk2dGeometry& g) const {
    add_cntk(g.axes, features);
    features.add(true, fmt::format("imageLayout = {}", to_string(g.layout)));
    const auto& a = std::get<CntkConvolution2dAttributes>(problem.attributes);
    features.add(a.zero_padding != 0, "zeroPadding is true");
  }
  void operator()(const reference::ContinuousGeometry& g) const {
    std::visit(
        [&](const auto& a) {
          if constexpr (std::is_base_of_v<ContinuousAttributes, std::decay_t<decltype(a)>>) {
            add_continuous(g, a, features);
          } else {
            add_attribute_features(problem, {}, features);
          }
        },
        problem.attributes);
  }
};

}  // namespace

void add_form_features(const Problem& problem, const reference::Resolution& resolution,
                       Features& features) {
  std::visit(Add{problem, features}, resolution.form);
}

}  // namespace concord::conformance
