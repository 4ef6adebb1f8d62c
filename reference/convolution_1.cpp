// SPDX-License-Identifier: Apache-2.0
// In the document's symbols: spatial rank r, spatial axes X, input, filter and output sizes X_I,
// X_K and X_O, padding p_b and p_e, stride s, dilation d, groups g.
#include "reference/convolution_1.h"

#include <algorithm>
#include <array>

#include "reference/checks.h"
#include "reference/sum.h"
#include "spec/check.h"
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
  check_axis(x, geometry.spatial_rank, {p_b + X_I + p_e, d * (X_K - 1) + 1, X_O}, findings);
  geometry.P_begin[x] = static_cast<Extent>(p_b);
  geometry.P_end[x] = static_cast<Extent>(p_e);
  geometry.O[x] = static_cast<Extent>(X_O);
}

// The indices of two axes and of the r spatial ones.
template <std::size_t r>
std::array<Extent, r + 2> with_two(Extent first, Extent second, const std::array<Extent, r>& X) {
  std::array<Extent, r + 2> all{first, second};
  std::copy(X.begin(), X.end(), all.begin() + 2);
  return all;
}

template <std::size_t r>
Oracle evaluate_of_rank(const Geometry& geometry, std::span<const double> input,
                        std::span<const double> filter, std::span<const double> bias) {
  const Extent N = geometry.N, g = geometry.G, in_channels = geometry.IC;
  const Extent out_channels = geometry.OC, segment_in = geometry.ICG();
  const auto X_I = innermost<r>(geometry.I), X_K = innermost<r>(geometry.K);
  const auto s = innermost<r>(geometry.S), d = innermost<r>(geometry.D);
  const auto p_b = innermost<r>(geometry.P_begin);
  const Grid<r + 2> input_grid{with_two<r>(N, in_channels, X_I)};
  const Grid<r + 2> filter_grid{with_two<r>(out_channels, segment_in, X_K)};
  const Grid<r> outputs{innermost<r>(geometry.O)}, taps{X_K};

  Oracle output;
  for (const auto [n, o] : Grid<2>{{N, out_channels}}) {
    const Extent segment = o / (out_channels / g);  // output channels are regrouped in order
    for (const auto& X : outputs) {
      Sum sum;
      if (!bias.empty()) sum.add(bias.size() == 1 ? bias[0] : bias[static_cast<std::size_t>(o)]);
      for (Extent i = 0; i < segment_in; ++i) {
        for (const auto& k : taps) {
          // Of the outputs at unit stride every s-th is kept; entry k of the filter stands at index
          // d*k of the stretched one; and p_b zeros stand before the input.
          std::array<Extent, r> X_i;
          bool inside = true;
          for (std::size_t x = 0; x < r; ++x) {
            X_i[x] = X[x] * s[x] + k[x] * d[x] - p_b[x];
            inside = inside && X_i[x] >= 0 && X_i[x] < X_I[x];
          }
          if (!inside) continue;
          sum.add_product(input[input_grid.offset(with_two<r>(n, segment * segment_in + i, X_i))],
                          filter[filter_grid.offset(with_two<r>(o, i, k))]);
        }
      }
      sum.append_to(output);
    }
  }
  return output;
}

}  // namespace

Result<Geometry> resolve_convolution_1(const Problem& problem, const Convolution1Attributes& a) {
  if (const auto refusal = check_ranks(problem, 3, kMaxRank)) return *refusal;
  const Operands operands = operands_of(problem);
  Findings findings;
  check_tensors(problem, findings);
  check_attributes(a, operands.spatial_rank, findings);
  check_channels(operands, a.groups, findings);
  check_kernel(operands, findings);
  // "Broadcasting is supported": by the text, of one value over the channels, too.
  const bool has_one_bias =
      problem.reading == Reading::kDocumented && problem.bias && problem.bias->dims == Extents{1};
  if (!has_one_bias) check_bias(problem, operands.OC, findings);
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
  for (std::size_t x = 0; x < kSpatialRank; ++x) {
    resolve_axis(x, a, problem.reading, {pads_begin[x], pads_end[x]}, geometry, findings);
  }
  if (findings.any_of(kNoSizes)) return findings.first();
  geometry.dst = infer_dst(problem, operands, geometry.O, findings);
  if (findings.any()) return findings.first();
  return geometry;
}

Oracle evaluate_convolution_1(const Geometry& geometry, std::span<const double> input,
                              std::span<const double> filter, std::span<const double> bias) {
  switch (geometry.spatial_rank) {
    case 1:
      return evaluate_of_rank<1>(geometry, input, filter, bias);
    case 2:
      return evaluate_of_rank<2>(geometry, input, filter, bias);
    case 3:
      return evaluate_of_rank<3>(geometry, input, filter, bias);
    case 4:
      return evaluate_of_rank<4>(geometry, input, filter, bias);
    case 5:
      return evaluate_of_rank<5>(geometry, input, filter, bias);
    case 6:
      return evaluate_of_rank<6>(geometry, input, filter, bias);
    default:
      CONCORD_CHECK(false) << geometry.spatial_rank << " spatial axes";
      return {};
  }
}

}  // namespace concord::reference
