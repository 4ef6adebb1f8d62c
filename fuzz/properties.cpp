// SPDX-License-Identifier: Apache-2.0
#include "fuzz/properties.h"

#include <algorithm>
#include <utility>

#include "spec/check.h"
#include "spec/grid.h"
#include "spec/unusual_attributes.h"

namespace concord::fuzz {
namespace {

using reference::Geometry;
using reference::Spatial;
using Values = std::vector<double>;
constexpr Spatial kUnit{1, 1, 1, 1, 1, 1};
using Indices = Grid<reference::kSpatialRank + 2>;
using Index = Indices::Index;

Geometry geometry_of(const Problem& problem) {
  auto geometry = reference::resolve_discrete(problem);
  CONCORD_CHECK(static_cast<bool>(geometry)) << print(problem) << ": " << geometry.why().detail;
  return *std::move(geometry);
}

SpatialAttributes* spatial_attributes(Problem& problem) {
  if (auto* a = std::get_if<ConvolutionAttributes>(&problem.attributes)) return a;
  return std::get_if<Convolution1Attributes>(&problem.attributes);
}

Index src_dims(const Geometry& g) { return reference::joined(g.N, g.IC, g.I); }
Index weights_dims(const Geometry& g) { return reference::joined(g.OC, g.ICG(), g.K); }
Index dst_dims(const Geometry& g) { return reference::joined(g.N, g.OC, g.O); }

// The last `rank` values.
Extents tail(const Spatial& values, std::size_t rank) {
  return {values.end() - static_cast<std::ptrdiff_t>(rank), values.end()};
}

// A dense tensor of these extents, without the spatial axes that the problem does not have.
template <class Format>
Tensor tensor_of(const Index& dims, std::size_t spatial_rank, Format format) {
  Extents shape{dims[0], dims[1]};
  shape.insert(shape.end(), dims.end() - static_cast<std::ptrdiff_t>(spatial_rank), dims.end());
  const auto axes = channels_first_axes(format, shape.size());
  return {unpermute({shape, {}}, axes).dims, {}};
}

// The problem on other extents; everything dense, dst left to be inferred.
Problem reshaped(Problem problem, const Geometry& g, const Index& src, const Index& weights) {
  problem.src = tensor_of(src, g.spatial_rank, data_format_of(problem));
  problem.weights = tensor_of(weights, g.spatial_rank, weights_format_of(problem));
  if (problem.bias) problem.bias = Tensor{{weights[0]}, {}};
  problem.dst.reset();
  return problem;
}

// The elements whose index `keep` accepts, in order.
template <class Keep>
Values select(const Values& values, const Index& dims, Keep keep) {
  Values kept;
  std::size_t place = 0;
  for (const Index& index : Indices(dims)) {
    if (keep(index)) kept.push_back(values[place]);
    ++place;
  }
  return kept;
}

// Zeros, with each element put where `place` says.
template <class Place>
Values spread(const Values& values, const Index& from, const Index& to, Place place) {
  const Indices target(to);
  Values result(static_cast<std::size_t>(element_count({to.begin(), to.end()}).value()));
  auto value = values.begin();
  for (const Index& index : Indices(from)) result[target.offset(place(index))] = *value++;
  return result;
}

Values combined(const Values& a, const Values& b) {
  Values result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(),
                 [](double x, double y) { return 3 * x + y; });
  return result;
}

Values with_bias(Values values, const Values& bias, const Index& dims) {
  std::size_t place = 0;
  for (const Index& index : Indices(dims)) {
    if (!bias.empty()) values[place] += bias[static_cast<std::size_t>(index[1])];
    ++place;
  }
  return values;
}

}  // namespace

std::vector<double> evaluate_by_reference(const Problem& problem, const Data& data) {
  return reference::evaluate_discrete(problem, geometry_of(problem), data.src, data.weights,
                                      data.bias)
      .value;
}

bool have_properties(const Problem& problem) {
  const Operation operation = problem.operation();
  const bool is_known = operation == Operation::kConvolution1 ||
                        operation == Operation::kConvolution ||
                        operation == Operation::kAtrousConv2d;
  return is_known && unusual_attributes(problem, kDiscreteKeys).empty();
}

bool is_linear(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data a = integer_data(problem, g, seed), b = integer_data(problem, g, seed + 1);
  Problem plain = problem;
  plain.bias.reset();
  const auto y = [&](const Values& src, const Values& weights) {
    return evaluate(plain, {src, weights, {}});
  };
  const Values y_a = y(a.src, a.weights);
  return y(combined(a.src, b.src), a.weights) == combined(y_a, y(b.src, a.weights)) &&
         y(a.src, combined(a.weights, b.weights)) == combined(y_a, y(a.src, b.weights)) &&
         evaluate(problem, a) == with_bias(y_a, a.bias, dst_dims(g));
}

bool splits_by_batch(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  Index one = src_dims(g);
  one[0] = 1;
  const Problem alone = reshaped(problem, g, one, weights_dims(g));
  Values dst;
  for (Extent n = 0; n < g.N; ++n) {
    const Values image = select(data.src, src_dims(g), [&](const Index& i) { return i[0] == n; });
    const Values part = evaluate(alone, {image, data.weights, data.bias});
    dst.insert(dst.end(), part.begin(), part.end());
  }
  return dst == evaluate(problem, data);
}

bool splits_by_input_channel(const Problem& problem, std::uint32_t seed,
                             const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  if (g.ICG() < 2) return true;
  // Of each group the first channel, with the bias; and the others, without.
  const auto part_of = [&](bool first) {
    Index src = src_dims(g), weights = weights_dims(g);
    weights[1] = first ? 1 : g.ICG() - 1;
    src[1] = g.G * weights[1];
    Problem part = reshaped(problem, g, src, weights);
    if (!first) part.bias.reset();
    return evaluate(part, {select(data.src, src_dims(g),
                                  [&](const Index& i) { return (i[1] % g.ICG() == 0) == first; }),
                           select(data.weights, weights_dims(g),
                                  [&](const Index& i) { return (i[1] == 0) == first; }),
                           first ? data.bias : Values{}});
  };
  Values sum = part_of(true);
  const Values others = part_of(false);
  std::transform(sum.begin(), sum.end(), others.begin(), sum.begin(), std::plus<>());
  return sum == evaluate(problem, data);
}

bool splits_by_output_channel(const Problem& problem, std::uint32_t seed,
                              const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  if (g.OCG() < 2) return true;
  const Values whole = evaluate(problem, data);
  for (const bool first : {true, false}) {
    // Of each group the first channel; and the others.
    const auto keep = [&](Extent oc) { return (oc % g.OCG() == 0) == first; };
    Index weights = weights_dims(g);
    weights[0] = g.G * (first ? 1 : g.OCG() - 1);
    const Values part =
        evaluate(reshaped(problem, g, src_dims(g), weights),
                 {data.src,
                  select(data.weights, weights_dims(g), [&](const Index& i) { return keep(i[0]); }),
                  select(data.bias, reference::joined(1, problem.bias ? g.OC : 0, kUnit),
                         [&](const Index& i) { return keep(i[1]); })});
    if (part != select(whole, dst_dims(g), [&](const Index& i) { return keep(i[1]); })) {
      return false;
    }
  }
  return true;
}

bool pads_with_zeros(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  Index padded = src_dims(g);
  for (std::size_t x = 0; x < reference::kSpatialRank; ++x) {
    padded[x + 2] += g.P_begin[x] + g.P_end[x];
  }
  Problem by_hand = reshaped(problem, g, padded, weights_dims(g));
  if (SpatialAttributes* a = spatial_attributes(by_hand)) {
    a->auto_pad = AutoPad::kValid;
  } else {
    std::get<AtrousConv2dAttributes>(by_hand.attributes).padding = TfPadding::kValid;
    by_hand.reading = Reading::kImplemented;  // the document's VALID leaves windows out
  }
  const Values src = spread(data.src, src_dims(g), padded, [&](Index i) {
    for (std::size_t x = 0; x < reference::kSpatialRank; ++x) i[x + 2] += g.P_begin[x];
    return i;
  });
  return evaluate(by_hand, {src, data.weights, data.bias}) == evaluate(problem, data);
}

bool strides_by_subsampling(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  Problem unstrided = reshaped(problem, g, src_dims(g), weights_dims(g));
  SpatialAttributes* a = spatial_attributes(unstrided);
  // Where stride S has no output, stride 1 may have a negative number of them.
  if (a == nullptr || reference::volume(g.O) == 0) return true;
  a->auto_pad = AutoPad::kNone;
  a->pads_begin = tail(g.P_begin, g.spatial_rank);
  a->pads_end = tail(g.P_end, g.spatial_rank);
  a->strides = Extents(g.spatial_rank, 1);
  const auto every_s_th = [&](const Index& i) {
    bool starts = true;
    for (std::size_t x = 0; x < reference::kSpatialRank; ++x) {
      starts = starts && i[x + 2] % g.S[x] == 0;
    }
    return starts;
  };
  return select(evaluate(unstrided, data), dst_dims(geometry_of(unstrided)), every_s_th) ==
         evaluate(problem, data);
}

bool dilates_by_zeros(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  Index stuffed = weights_dims(g);
  for (std::size_t x = 0; x < reference::kSpatialRank; ++x) {
    stuffed[x + 2] = g.D[x] * (g.K[x] - 1) + 1;
  }
  Problem dense = reshaped(problem, g, src_dims(g), stuffed);
  if (SpatialAttributes* a = spatial_attributes(dense)) {
    a->dilations = Extents(g.spatial_rank, 1);
  } else {
    std::get<AtrousConv2dAttributes>(dense.attributes).rate = 1;
  }
  const Values weights = spread(data.weights, weights_dims(g), stuffed, [&](Index i) {
    for (std::size_t x = 0; x < reference::kSpatialRank; ++x) i[x + 2] *= g.D[x];
    return i;
  });
  return evaluate(dense, {data.src, weights, data.bias}) == evaluate(problem, data);
}

bool groups_by_blocks(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  Index full = weights_dims(g);
  full[1] = g.IC;
  Problem ungrouped = reshaped(problem, g, src_dims(g), full);
  SpatialAttributes* a = spatial_attributes(ungrouped);
  if (a == nullptr) return true;
  a->groups = 1;
  const Values weights = spread(data.weights, weights_dims(g), full, [&](Index i) {
    i[1] += i[0] / g.OCG() * g.ICG();
    return i;
  });
  return evaluate(ungrouped, {data.src, weights, data.bias}) == evaluate(problem, data);
}

bool ignores_formats(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  const Data data = integer_data(problem, g, seed);
  Problem other = problem;
  SpatialAttributes* a = spatial_attributes(other);
  if (a == nullptr) return true;
  a->data_format = a->data_format == DataFormat::kNXC ? DataFormat::kNCX : DataFormat::kNXC;
  const auto turn = [](WeightsFormat& format) {
    format = format == WeightsFormat::kXIO ? WeightsFormat::kOIX : WeightsFormat::kXIO;
  };
  if (auto* one = std::get_if<Convolution1Attributes>(&other.attributes)) turn(one->filter_format);
  if (auto* one = std::get_if<ConvolutionAttributes>(&other.attributes)) turn(one->weights_format);
  other = reshaped(other, g, src_dims(g), weights_dims(g));
  const Tensor dst = tensor_of(dst_dims(g), g.spatial_rank, data_format_of(other));
  return geometry_of(other).dst == dst && evaluate(other, data) == evaluate(problem, data);
}

bool lowers_to_convolution(const Problem& problem, std::uint32_t seed, const Evaluator& evaluate) {
  const Geometry g = geometry_of(problem);
  if (g.spatial_rank > 3) return true;  // a Convolution has no more axes
  // As documented the SAME of atrous_conv2d is no Convolution's.
  if (problem.reading == Reading::kDocumented) return true;
  const Data data = integer_data(problem, g, seed);
  ConvolutionAttributes a;
  if (const auto* one = std::get_if<Convolution1Attributes>(&problem.attributes)) {
    a = {{static_cast<const SpatialAttributes&>(*one)}, one->filter_format};
  } else if (const auto* atrous = std::get_if<AtrousConv2dAttributes>(&problem.attributes)) {
    a.strides = {1, 1};
    a.pads_begin = a.pads_end = {0, 0};
    a.dilations = {atrous->rate, atrous->rate};
    a.auto_pad = atrous->padding == TfPadding::kSame ? AutoPad::kSameUpper : AutoPad::kValid;
  } else {
    return true;
  }
  Problem lowered = problem;
  lowered.attributes = a;
  return geometry_of(lowered).dst == g.dst && evaluate(lowered, data) == evaluate(problem, data);
}

}  // namespace concord::fuzz
