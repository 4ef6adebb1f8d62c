// SPDX-License-Identifier: Apache-2.0
#include "conformance/huge/local_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/huge/probes.h"
#include "spec/check.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

enum class Stream : std::uint64_t { kSrc = 11, kWeights, kBias };

/// Values of the elements that are not zero.
struct Values {
  std::map<SrcIndex, double> src{};
  std::map<WeightIndex, double> weights{};
  std::vector<double> bias{};

  double weight(const WeightIndex& index) const {
    const auto found = weights.find(index);
    return found == weights.end() ? 0 : found->second;
  }
};

SignedInteger drawn_to(Extent largest) { return SignedInteger(largest, 3, 4); }

Values draw_values(const Geometry& g, const Probes& probes, bool has_bias,
                   const IntegerLimits& limits, std::uint64_t seed) {
  Values values;
  Xoshiro src(seed, static_cast<std::uint64_t>(Stream::kSrc));
  for (const SrcIndex& index : probes.src) values.src[index] = drawn_to(limits.src)(src);
  Xoshiro weights(seed, static_cast<std::uint64_t>(Stream::kWeights));
  const SignedInteger weight = drawn_to(limits.weights);
  for (const WeightIndex& index : probes.weights) values.weights[index] = weight(weights);
  if (probes.weights.empty()) {
    for (const auto [oc, ic] : Grid<2>{{g.OC, g.ICG()}}) {
      for (const Spatial& k : Grid(g.K)) values.weights[{oc, ic, k}] = weight(weights);
    }
  }
  values.bias.resize(static_cast<std::size_t>(g.OC));
  if (!has_bias) return values;
  Xoshiro bias(seed, static_cast<std::uint64_t>(Stream::kBias));
  for (double& b : values.bias) b = drawn_to(limits.bias)(bias);
  return values;
}

// The problem cut out: one output of each channel of the group, whose window is the taps that meet
// something, side by side as channels.
struct CutOut {
  Problem problem{};
  std::vector<double> src{}, weights{}, bias{};
};

CutOut cut_out(Dtype dtype, const Geometry& g, const Position& at, const std::vector<Tap>& taps,
               const Values& values) {
  CutOut cut;
  const auto channels = static_cast<Extent>(taps.size());
  cut.problem.dtype = dtype;
  cut.problem.src.dims = {1, channels, 1};
  cut.problem.weights.dims = {g.OCG(), channels, 1};
  cut.problem.bias = Tensor{{g.OCG()}, {}};
  ConvolutionAttributes attributes;
  attributes.strides = attributes.dilations = {1};
  attributes.pads_begin = attributes.pads_end = {0};
  attributes.data_format = DataFormat::kNCX;
  attributes.weights_format = WeightsFormat::kOIX;
  cut.problem.attributes = attributes;
  for (const Tap& tap : taps) cut.src.push_back(values.src.at(*met_by(g, at, tap)));
  const Extent first = at.g * g.OCG();
  for (Extent oc = first; oc < first + g.OCG(); ++oc) {
    for (const Tap& tap : taps) cut.weights.push_back(values.weight({oc, tap.ic, tap.k}));
    cut.bias.push_back(values.bias[static_cast<std::size_t>(oc)]);
  }
  return cut;
}

reference::Oracle evaluate(const CutOut& cut) {
  const auto geometry = reference::resolve(cut.problem);
  CONCORD_CHECK(static_cast<bool>(geometry)) << print(cut.problem) << ": " << geometry.why().detail;
  return reference::evaluate(cut.problem, *geometry, {cut.src, cut.weights, cut.bias, {}});
}

// Of a position that no element reaches.
reference::Oracle biases(const Geometry& g, const Position& at, const Values& values) {
  reference::Oracle oracle;
  for (Extent oc = at.g * g.OCG(); oc < (at.g + 1) * g.OCG(); ++oc) {
    const double bias = values.bias[static_cast<std::size_t>(oc)];
    oracle.value.push_back(bias);
    oracle.magnitude.push_back(std::fabs(bias));
  }
  return oracle;
}

/// An output, and what is wanted of it.
struct Wanted {
  Extent place;
  double value, low, magnitude;
};

std::vector<Wanted> evaluate_reached(Dtype dtype, const Layout& layout, const Geometry& g,
                                     const std::map<Position, std::vector<Tap>>& reached,
                                     const Values& values) {
  std::vector<Wanted> wanted;
  for (const auto& [at, taps] : reached) {
    const reference::Oracle oracle =
        taps.empty() ? biases(g, at, values) : evaluate(cut_out(dtype, g, at, taps, values));
    for (std::size_t i = 0; i < oracle.value.size(); ++i) {
      const Extent oc = at.g * g.OCG() + static_cast<Extent>(i);
      wanted.push_back({layout.place_of_output(at, oc), oracle.value[i],
                        oracle.low.empty() ? 0 : oracle.low[i], oracle.magnitude[i]});
    }
  }
  return wanted;
}

// Positions that nothing reaches, with no taps: their outputs are their biases.
void add_all_positions(const Geometry& g, std::map<Position, std::vector<Tap>>& reached) {
  for (const auto [n, group] : Grid<2>{{g.N, g.G}}) {
    for (const Spatial& o : Grid(g.O)) reached.try_emplace({n, group, o});
  }
}

template <class Index>
std::vector<PlacedValue> placed(const Layout& layout, const std::map<Index, double>& values) {
  std::vector<PlacedValue> elements;
  elements.reserve(values.size());
  for (const auto& [index, value] : values) elements.push_back({layout.place_of(index), value});
  std::sort(elements.begin(), elements.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  return elements;
}

std::vector<PlacedValue> placed_bias(const Tensor& bias, const std::vector<double>& values) {
  const Extent stride = strides_of(bias).front();
  std::vector<PlacedValue> elements;
  for (std::size_t oc = 0; oc < values.size(); ++oc) {
    elements.push_back({static_cast<Extent>(oc) * stride, values[oc]});
  }
  return elements;
}

}  // namespace

LocalData make_local_data(const Problem& problem, const Geometry& g, std::uint64_t seed,
                          const concord_arithmetic& arithmetic) {
  const Layout layout(problem, g);
  const Probes probes = choose_probes(problem, g, seed);
  auto reached = reached_by(g, probes.src);
  if (element_count(g.dst.dims).value() <= kAllOutputs) add_all_positions(g, reached);
  LocalData data;
  for (const auto& [at, taps] : reached) {
    data.products = std::max(data.products, static_cast<Extent>(taps.size()));
  }
  const bool has_bias = problem.bias.has_value();
  const auto limits = integer_limits(problem.dtype, arithmetic, data.products, has_bias);
  data.is_exact = is_exact(Fill::kIntegers, arithmetic) && limits.taps == data.products;
  const Values values = draw_values(g, probes, has_bias, limits, seed);
  data.of(Input::kSrc) = placed(layout, values.src);
  data.of(Input::kWeights) = placed(layout, values.weights);
  if (has_bias) data.of(Input::kBias) = placed_bias(*problem.bias, values.bias);
  data.background = values.bias;
  auto wanted = evaluate_reached(problem.dtype, layout, g, reached, values);
  std::sort(wanted.begin(), wanted.end(),
            [](const auto& a, const auto& b) { return a.place < b.place; });
  for (const Wanted& each : wanted) {
    data.outputs.push_back(each.place);
    data.oracle.value.push_back(each.value);
    data.oracle.magnitude.push_back(each.magnitude);
    if (problem.dtype == Dtype::kF64) data.oracle.low.push_back(each.low);
  }
  return data;
}

}  // namespace concord::conformance
