// SPDX-License-Identifier: Apache-2.0
// From a row of levels to the problem that it stands for.
#include <algorithm>
#include <charconv>
#include <set>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/memory.h"
#include "reference/reference.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

constexpr std::string_view kMixed = "mixed", kBeyondKernel = "beyond_kernel";

Extent number(std::string_view text) {
  Extent value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CONCORD_CHECK(error == std::errc()) << "level '" << text << "' is no number";
  return value;
}

// The numbers of a row: kernel, strides, dilations and pads by axis, outermost first.
struct Numbers {
  Extents K, S, D, P_begin, P_end;
  bool same = false;  // the padding follows from the extents
  std::size_t axes() const { return K.size(); }
  Extent dilated_kernel(std::size_t a) const { return D[a] * (K[a] - 1) + 1; }
  // The output size of input I along axis a.
  Extent outputs(std::size_t a, Extent I) const {
    if (same) return (I + S[a] - 1) / S[a];
    return (I + P_begin[a] + P_end[a] - dilated_kernel(a)) / S[a] + 1;
  }
};

Extents each_axis(std::size_t axes, std::string_view level, const Extents& mixed) {
  if (level != kMixed) return Extents(axes, number(level));
  return {mixed.begin(), mixed.begin() + static_cast<std::ptrdiff_t>(axes)};
}

void set_pads(std::string_view padding, Numbers& n) {
  const std::size_t axes = n.axes(), last = axes - 1;
  n.P_begin.assign(axes, 0);
  n.P_end.assign(axes, 0);
  n.same = padding.find("same") != std::string_view::npos;
  if (padding == "symmetric") {
    n.P_begin.assign(axes, 1);
    n.P_end.assign(axes, 1);
  } else if (padding == "asymmetric") {
    for (std::size_t a = 0; a < axes; ++a) {
      n.P_begin[a] = static_cast<Extent>(a % 2);
      n.P_end[a] = 2 - static_cast<Extent>(a % 2);
    }
  } else if (padding == kBeyondKernel) {  // some windows see nothing but padding
    n.P_begin[last] = n.dilated_kernel(last);
    n.P_end[0] = n.dilated_kernel(0) + 1;
  }
}

Numbers numbers_of(const Row& row) {
  const auto axes = static_cast<std::size_t>(number(level_of(row, Attribute::kSpatialAxes)));
  Numbers n;
  n.K = each_axis(axes, level_of(row, Attribute::kKernel), {3, 2, 1});
  n.D = each_axis(axes, level_of(row, Attribute::kDilation), {2, 3, 1});
  if (const auto stride = level_of(row, Attribute::kStride); stride != kBeyondKernel) {
    n.S = each_axis(axes, stride, {1, 2, 3});
  } else {
    for (std::size_t a = 0; a < axes; ++a) n.S.push_back(n.dilated_kernel(a) + 1);
  }
  set_pads(level_of(row, Attribute::kPadding), n);
  return n;
}

Shape channels_of(const Row& row, const Numbers& n) {
  Shape shape;
  shape.N = number(level_of(row, Attribute::kBatch));
  shape.ICG = number(level_of(row, Attribute::kIC));
  shape.OCG = number(level_of(row, Attribute::kOC));
  if (level_of(row, Attribute::kGroups) == "depthwise") {
    std::swap(shape.G, shape.ICG);
  } else {
    shape.G = number(level_of(row, Attribute::kGroups));
  }
  shape.K = n.K;
  return shape;
}

// The output extents that the level asks for, outermost first.
Extents wanted_outputs(std::string_view extents, std::size_t axes) {
  const Extents few = {2, 3, 4}, tail = {2, 3, 17};
  if (extents == "smallest") return Extents(axes, 1);
  const Extents& all = extents == "tail" ? tail : few;
  return {all.end() - static_cast<std::ptrdiff_t>(axes), all.end()};
}

// The smallest inputs that give the outputs wanted; if `distinct`, a little larger where that keeps
// two extents of the problem from being equal.
Extents inputs_for(const Row& row, const Numbers& n, const Shape& shape, bool distinct) {
  const auto level = level_of(row, Attribute::kExtents);
  const Extents wanted = wanted_outputs(level, n.axes());
  std::set<Extent> taken = {shape.N, shape.G * shape.ICG, shape.G * shape.OCG};
  std::set<Extent> outputs_taken = taken;
  Extents I;
  for (std::size_t a = 0; a < n.axes(); ++a) {
    const Extent past_first = (wanted[a] - 1) * n.S[a];
    Extent extent = std::max<Extent>(
        past_first + (n.same ? 1 : n.dilated_kernel(a) - n.P_begin[a] - n.P_end[a]), 1);
    if (level == "left_over" && n.S[a] > 1) extent += 1;
    const auto collides = [&] {
      return taken.contains(extent) || outputs_taken.contains(n.outputs(a, extent));
    };
    if (distinct && level != "smallest") {
      for (int tries = 0; tries < 3 && collides(); ++tries) extent += n.S[a];
    }
    taken.insert(extent);
    outputs_taken.insert(n.outputs(a, extent));
    I.push_back(extent);
  }
  return I;
}

Attributes attributes_of(const Row& row) {
  const auto operation = level_of(row, Attribute::kOperation);
  if (operation == "AtrousConv2d") return AtrousConv2dAttributes{};
  if (operation == "Convolution1") return Convolution1Attributes{};
  return ConvolutionAttributes{};
}

struct SetAttributes {
  const Row& row;
  const Numbers& n;

  void operator()(AtrousConv2dAttributes& a) const {
    a.rate = n.D[0];
    a.padding = n.same ? TfPadding::kSame : TfPadding::kValid;
  }
  void operator()(Convolution1Attributes& a) const { set_spatial(a, a.filter_format); }
  void operator()(ConvolutionAttributes& a) const { set_spatial(a, a.weights_format); }

 private:
  void set_spatial(SpatialAttributes& a, WeightsFormat& weights_format) const {
    const auto padding = level_of(row, Attribute::kPadding);
    a.strides = n.S;
    a.dilations = n.D;
    a.pads_begin = n.P_begin;
    a.pads_end = n.P_end;
    if (padding.ends_with("same_upper")) a.auto_pad = AutoPad::kSameUpper;
    if (padding.ends_with("same_lower")) a.auto_pad = AutoPad::kSameLower;
    if (padding.ends_with("valid")) a.auto_pad = AutoPad::kValid;
    if (padding.starts_with("given_")) {
      a.pads_begin.assign(n.axes(), 1);
      a.pads_end.assign(n.axes(), 2);
    }
    a.data_format =
        level_of(row, Attribute::kDataFormat) == "NCX" ? DataFormat::kNCX : DataFormat::kNXC;
    weights_format = level_of(row, Attribute::kWeightsFormat) == "OIX" ? WeightsFormat::kOIX
                                                                       : WeightsFormat::kXIO;
  }
};

void set_memory(std::string_view memory, bool between_elements, Problem& problem) {
  if (memory == "dense") return;
  const auto geometry = reference::resolve(problem);
  CONCORD_CHECK(geometry) << print(problem) << ": " << geometry.why().detail;
  const Tensor dst{geometry->dst.dims, {}};
  const auto gaps = between_elements ? with_element_gaps : with_row_gaps;
  const bool all = memory == "all_gaps";
  if (all || memory == "src_gaps") problem.src = gaps(problem.src.dims);
  if (all || memory == "weights_gaps") problem.weights = gaps(problem.weights.dims);
  if (all && problem.bias) problem.bias = with_element_gaps(problem.bias->dims);
  if (all || memory == "dst_gaps") problem.dst = gaps(dst.dims);
  if (memory == "reordered") {
    problem.src = reversed_order(problem.src.dims);
    problem.dst = reversed_order(dst.dims);
  }
}

// The levels that take fewest multiplications, for factors that are open.
Row cheapest(Row row) {
  const auto close = [&](Attribute attribute, std::string_view level) {
    if (row[static_cast<std::size_t>(attribute)] == kOpen) row = with_level(row, attribute, level);
  };
  close(Attribute::kSpatialAxes, "1");
  close(Attribute::kKernel, "1");
  close(Attribute::kDilation, "1");
  close(Attribute::kStride, kBeyondKernel);
  close(Attribute::kPadding, "none");
  close(Attribute::kGroups, "1");
  close(Attribute::kIC, "1");
  close(Attribute::kOC, "1");
  close(Attribute::kBatch, "1");
  close(Attribute::kExtents, "smallest");
  return row;
}

}  // namespace

Extent least_macs(const Row& row) {
  const Row closed = cheapest(row);
  const Numbers n = numbers_of(closed);
  const Shape shape = channels_of(closed, n);
  const Extents I = inputs_for(closed, n, shape, closed == row);
  Extent macs = shape.N * shape.G * shape.ICG * shape.OCG;
  for (std::size_t a = 0; a < n.axes(); ++a) macs *= n.K[a] * n.outputs(a, I[a]);
  return macs;
}

Problem problem_of(const Row& row) {
  const Numbers n = numbers_of(row);
  Shape shape = channels_of(row, n);
  shape.I = inputs_for(row, n, shape, true);

  Problem problem;
  problem.dtype = *parse_dtype(level_of(row, Attribute::kDtype));
  if (level_of(row, Attribute::kReading) == "documented") problem.reading = Reading::kDocumented;
  problem.attributes = attributes_of(row);
  std::visit(SetAttributes{row, n}, problem.attributes);
  if (level_of(row, Attribute::kBias) == "yes") problem.bias.emplace();
  set_shape(problem, shape);
  // Gaps between elements or between rows, by turns of something that does not matter here.
  set_memory(level_of(row, Attribute::kMemory), shape.ICG % 2 == 0, problem);
  return problem;
}

}  // namespace concord::conformance
