// SPDX-License-Identifier: Apache-2.0
// What continuous_model() leaves out of the continuous layer: its other gradients, chains, and the
// two other inputs of the efficient variant's net.
#include "conformance/catalog/continuous_axis.h"
#include "conformance/catalog/form_model.h"
#include "reference/continuous.h"

namespace concord::conformance {
namespace {

using namespace continuous;

enum OperationLevel { kLayer, kData, kTheta, kGrid, kKernelWeights, kChain };

// Of a chain the first scale; the second one is its inverse.
constexpr std::string_view kScales[] = {"1/2", "2/3", "1", "7/3"};
constexpr std::string_view kInverses[] = {"2", "3/2", "1", "3/7"};
constexpr Extent kChannels[] = {1, 3};
constexpr Extent kWidthPairs[][2] = {{4, 5}, {1, 1}};
constexpr std::string_view kSlopes[] = {"1/100", "-1/2"};
constexpr form::Memory kMemories[] = {form::kDense, form::kAllGaps, form::kOtherOrder};

// Few levels each: the pairs of all are in smoke.
std::vector<Factor> factors() {
  const std::vector<std::string_view> scale(std::begin(kScales), std::end(kScales));
  const std::vector<std::string_view> kernel = {"1", "2", "3"}, extent = {"few", "more"};
  const std::vector<std::string_view> size = {"by_scale", "more"};
  return {
      {"operation",
       {"ContinuousConvolution", "ContinuousBackwardData", "ContinuousBackwardWeights",
        "ContinuousBackwardGrid", "ContinuousBackwardKernel", "ContinuousChain"}},
      {"dtype", form::dtype_levels()},
      {"function", {kWords<KernelFunction>.begin(), kWords<KernelFunction>.end()}},
      {"ties", {kWords<Ties>.begin(), kWords<Ties>.end()}},
      {"boundary", {kWords<Boundary>.begin(), kWords<Boundary>.end()}},
      {"images", {"1", "2"}},
      {"in_channels", {"1", "3"}},
      {"out_channels", {"1", "3"}},
      {"widths", {"4,5", "1,1"}},
      {"slope", {std::begin(kSlopes), std::end(kSlopes)}},
      {"memory", {"dense", "all_gaps", "other_order"}},
      {"scale_height", scale},
      {"kernel_height", kernel},
      {"height", extent},
      {"size_height", size},
      {"scale_width", scale},
      {"kernel_width", kernel},
      {"width", extent},
      {"size_width", size},
  };
}

bool is_allowed(const Row& row) {
  const int operation = row[kOperation], function = row[kFunction];
  // What continuous_model() has.
  const bool is_old =
      function != kOpen && function < static_cast<int>(KernelFunction::kNetKNearest);
  if (operation != kOpen && operation <= kTheta && is_old) return false;
  // A chain has neither: its layers have as many channels as src.
  return operation != kChain ||
         (form::may_be(row[kCout], 0) && form::may_be(row[place(0, kSize)], 0) &&
          form::may_be(row[place(1, kSize)], 0));
}

struct Numbers {
  Extent in, out, K;
};

// Another row or column or two, of a given size another output, where all neighbours are ties that
// do not count.
Numbers numbers_of(const Row& row, int axis) {
  const Rational scale = *parse_rational(kScales[row[place(axis, kScale)]]);
  const bool is_given = row[place(axis, kSize)] != 0;
  Numbers n{};
  for (Extent turn = 0; turn < 6; ++turn) {
    n.K = row[place(axis, kKernel)] + 1;
    n.in = n.K + (row[place(axis, kExtent)] == 0 ? 1 : 4) + axis + turn / 2;
    n.out = (scale * n.in).ceil() + (is_given ? 2 + turn % 2 : 0);
    const auto resolved =
        reference::resolve_continuous_axis({.in = n.in,
                                            .out = n.out,
                                            .scale = scale,
                                            .K = n.K,
                                            .ties = static_cast<Ties>(row[kTies]),
                                            .boundary = static_cast<Boundary>(row[kBoundary])});
    if (sees_input(*resolved)) break;
  }
  return n;
}

ContinuousAttributes attributes_of(const Row& row, const Numbers& rows, const Numbers& columns) {
  ContinuousAttributes a;
  a.scale_h = *parse_rational(kScales[row[place(0, kScale)]]);
  a.scale_w = *parse_rational(kScales[row[place(1, kScale)]]);
  if (row[place(0, kSize)] != 0 || row[place(1, kSize)] != 0) a.size = {rows.out, columns.out};
  a.kernel = {rows.K, columns.K};
  a.channels = kChannels[row[kCout]];
  a.function = static_cast<KernelFunction>(row[kFunction]);
  const Extent* widths = kWidthPairs[row[kWidths]];
  a.widths = {widths[0], widths[1]};
  a.slope = *parse_rational(kSlopes[row[kSlope]]);
  a.ties = static_cast<Ties>(row[kTies]);
  a.boundary = static_cast<Boundary>(row[kBoundary]);
  return a;
}

// There and back: the sizes of a chain end in integers.
ContinuousChainAttributes chain_of(const Row& row, const ContinuousAttributes& layer) {
  const auto scales = [&](int axis) {
    const int level = row[place(axis, kScale)];
    return Rationals{*parse_rational(kScales[level]), *parse_rational(kInverses[level])};
  };
  return {.scales_h = scales(0),
          .scales_w = scales(1),
          .kernel = layer.kernel,
          .function = layer.function,
          .widths = layer.widths,
          .slope = layer.slope,
          .ties = layer.ties,
          .boundary = layer.boundary};
}

Attributes operation_of(const Row& row, const ContinuousAttributes& layer) {
  switch (static_cast<OperationLevel>(row[kOperation])) {
    case kLayer:
      return layer;
    case kData:
      return ContinuousBackwardDataAttributes{layer};
    case kTheta:
      return ContinuousBackwardWeightsAttributes{layer};
    case kGrid:
      return ContinuousBackwardGridAttributes{layer};
    case kKernelWeights:
      return ContinuousBackwardKernelAttributes{layer};
    case kChain:
      break;
  }
  return chain_of(row, layer);
}

Problem problem_for(const Row& row) {
  const Numbers rows = numbers_of(row, 0), columns = numbers_of(row, 1);
  const Extent N = row[kImages] + 1, Cin = kChannels[row[kCin]];
  ContinuousAttributes layer = attributes_of(row, rows, columns);
  const bool is_chain = row[kOperation] == kChain;
  if (is_chain) layer.channels = Cin;
  Problem problem;
  problem.dtype = kCommonDtypes[row[kDtype]];
  problem.src.dims = {N, Cin, rows.in, columns.in};
  problem.weights.dims = {*reference::parameters_of(Cin, layer)};
  if (is_chain) problem.weights.dims.insert(problem.weights.dims.begin(), 2);
  problem.attributes = operation_of(row, layer);
  if (row[kOperation] != kLayer && !is_chain) {
    problem.diff_dst.emplace().dims = {N, layer.channels, rows.out, columns.out};
  }
  form::set_memory(kMemories[row[kMemory]], problem);
  return problem;
}

}  // namespace

FormModel continuous_more_model() {
  FormModel made = form::model("continuous_more", factors(), problem_for, is_allowed);
  made.is_late = true;
  return made;
}

}  // namespace concord::conformance
