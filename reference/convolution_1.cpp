// SPDX-License-Identifier: Apache-2.0
// In the document's symbols: spatial axes X, input, filter and output sizes X_I, X_K and X_O,
// padding p_b and p_e, stride s, dilation d, groups g.
#include "reference/convolution_1.h"

#include <algorithm>

#include "reference/checks.h"
#include "reference/sum.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

struct Padding {
  Wide p_b, p_e;
};

// "Same": the padding makes X_O = X_I at stride 1, as the document has it, or X_O = ceil(X_I / s),
// as the systems that carry the name have it.
Wide same_padding(Reading reading, Wide X_I, Wide X_K, Wide s, Wide d) {
  if (reading == Reading::kDocumented) return d * (X_K - 1);
  const Wide X_O = ceil_divide(X_I, s);
  return std::max<Wide>((X_O - 1) * s + d * (X_K - 1) + 1 - X_I, 0);
}

Padding resolve_padding(AutoPad auto_pad, Wide same, const Padding& given) {
  switch (auto_pad) {
    case AutoPad::kNone:
      return given;
    case AutoPad::kSameUpper:
      return {same / 2, same - same / 2};
    case AutoPad::kSameLower:
      return {same - same / 2, same / 2};
    case AutoPad::kValid:
      return {0, 0};
  }
  return given;
}

void resolve_axis(std::size_t x, const Convolution1Attributes& a, Reading reading,
                  const Padding& given, Geometry& geometry, Findings& findings) {
  const Wide X_I = geometry.I[x], X_K = geometry.K[x], s = geometry.S[x], d = geometry.D[x];
  const auto [p_b, p_e] = resolve_padding(a.auto_pad, same_padding(reading, X_I, X_K, s, d), given);
  const Wide X_O = floor_divide(p_b + p_e + X_I - d * (X_K - 1) - 1, s) + 1;
  check_axis(x, {p_b + X_I + p_e, d * (X_K - 1) + 1, X_O}, findings);
  geometry.P_begin[x] = static_cast<Extent>(p_b);
  geometry.P_end[x] = static_cast<Extent>(p_e);
  geometry.O[x] = static_cast<Extent>(X_O);
}

}  // namespace

Result<Geometry> resolve_convolution_1(const Problem& problem, const Convolution1Attributes& a) {
  if (const auto refusal = check_ranks(problem, 3, 5)) return *refusal;
  const Operands operands = operands_of(problem);
  Findings findings;
  check_tensors(problem, findings);
  check_attributes(a, operands.spatial_rank, findings);
  check_channels(operands, a.groups, findings);
  check_kernel(operands, findings);
  check_bias(problem, operands.OC, findings);
  if (findings.any_of(kNoSizes)) return findings.first();

  Geometry geometry{.N = operands.N,
                    .G = a.groups,
                    .IC = operands.IC,
                    .OC = operands.OC,
                    .I = operands.I,
                    .O = {},
                    .K = operands.K,
                    .S = spatial(a.strides, 1),
                    .D = spatial(a.dilations, 1),
                    .P_begin = {},
                    .P_end = {},
                    .spatial_rank = operands.spatial_rank,
                    .dst = {}};
  const Spatial pads_begin = spatial(a.pads_begin, 0), pads_end = spatial(a.pads_end, 0);
  for (std::size_t x = 0; x < 3; ++x) {
    resolve_axis(x, a, problem.reading, {pads_begin[x], pads_end[x]}, geometry, findings);
  }
  if (findings.any_of(kNoSizes)) return findings.first();
  geometry.dst = infer_dst(problem, operands, geometry.O, findings);
  if (findings.any()) return findings.first();
  return geometry;
}

Oracle evaluate_convolution_1(const Geometry& geometry, std::span<const double> input,
                              std::span<const double> filter, std::span<const double> bias) {
  const Extent N = geometry.N, g = geometry.G, in_channels = geometry.IC;
  const Extent out_channels = geometry.OC, segment_in = geometry.ICG();
  const auto [D_I, H_I, W_I] = geometry.I;
  const auto [D_K, H_K, W_K] = geometry.K;
  const auto [D_O, H_O, W_O] = geometry.O;
  const auto& s = geometry.S;
  const auto& d = geometry.D;
  const auto& p_b = geometry.P_begin;
  const Grid<5> input_grid{{N, in_channels, D_I, H_I, W_I}};
  const Grid<5> filter_grid{{out_channels, segment_in, D_K, H_K, W_K}};

  Oracle output;
  for (const auto [n, o, D, H, W] : Grid<5>{{N, out_channels, D_O, H_O, W_O}}) {
    Sum sum;
    if (!bias.empty()) sum.add(bias[static_cast<std::size_t>(o)]);
    const Extent segment = o / (out_channels / g);  // output channels are regrouped in order
    for (const auto [i, D_k, H_k, W_k] : Grid<4>{{segment_in, D_K, H_K, W_K}}) {
      // Of the outputs at unit stride every s-th is kept; entry k of the filter stands at index d*k
      // of the stretched one; and p_b zeros stand before the input.
      const Extent D_i = D * s[0] + D_k * d[0] - p_b[0];
      const Extent H_i = H * s[1] + H_k * d[1] - p_b[1];
      const Extent W_i = W * s[2] + W_k * d[2] - p_b[2];
      if (D_i < 0 || D_i >= D_I || H_i < 0 || H_i >= H_I || W_i < 0 || W_i >= W_I) continue;
      sum.add(input[input_grid.offset({n, segment * segment_in + i, D_i, H_i, W_i})] *
              filter[filter_grid.offset({o, i, D_k, H_k, W_k})]);
    }
    output.value.push_back(sum.value);
    output.magnitude.push_back(sum.magnitude);
  }
  return output;
}

}  // namespace concord::reference
