// SPDX-License-Identifier: Apache-2.0
// In the document's symbols: value [batch, in_height, in_width, in_channels], filters
// [filter_height, filter_width, in_channels, out_channels], rate.
#include "reference/tf_atrous.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "reference/checks.h"
#include "reference/sum.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

// "rate: A positive int32."
constexpr Extent kLargestRate = std::numeric_limits<std::int32_t>::max();

void check_attributes(const AtrousConv2dAttributes& a, Findings& findings) {
  if (a.rate < 1) {
    findings.add(Fault::kDilations, "rate=" + std::to_string(a.rate) + ": less than 1");
  } else if (a.rate > kLargestRate) {
    findings.add(Fault::kDilations, "rate=" + std::to_string(a.rate) + ": not an int32");
  }
  if (a.padding != TfPadding::kSame && a.padding != TfPadding::kValid) {
    findings.add(Fault::kPadding, "padding=" + a.other_padding + ": neither SAME nor VALID");
  }
}

// Under SAME half of the padding stands at the beginning, an odd element at the end. The printed
// formula has no shift: its windows begin at the output's own pixel, all padding is at the end.
void resolve_axis(std::size_t axis, const AtrousConv2dAttributes& a, Reading reading,
                  Geometry& geometry, Findings& findings) {
  const Wide in = geometry.I[axis], filter = geometry.K[axis], rate = geometry.D[axis];
  const Wide total = a.padding == TfPadding::kSame ? (filter - 1) * rate : 0;
  const Wide begin = reading == Reading::kDocumented ? 0 : total / 2;
  const Wide upsampled = filter + (filter - 1) * (rate - 1);
  const Wide out = in + total - (upsampled - 1);
  check_axis(axis, geometry.spatial_rank, {in + total, upsampled, out}, findings);
  geometry.P_begin[axis] = static_cast<Extent>(begin);
  geometry.P_end[axis] = static_cast<Extent>(total - begin);
  geometry.O[axis] = static_cast<Extent>(out);
}

// VALID as printed: [height - 2 (filter_width - 1), width - 2 (filter_height - 1)]. Where that is
// more than fits, the last windows reach beyond value, as far as P_end.
void resolve_printed_axis(std::size_t axis, Geometry& geometry, Findings& findings) {
  const Wide in = geometry.I[axis], filter = geometry.K[axis], rate = geometry.D[axis];
  const Wide other_filter = geometry.K[axis == kHeight ? kWidth : kHeight];
  const Wide upsampled = filter + (filter - 1) * (rate - 1);
  const Wide out = in - 2 * (other_filter - 1);
  const Wide beyond = std::max<Wide>(out - 1 + upsampled - in, 0);
  check_axis(axis, geometry.spatial_rank, {in + beyond, upsampled, out}, findings);
  geometry.P_end[axis] = static_cast<Extent>(beyond);
  geometry.O[axis] = static_cast<Extent>(out);
}

}  // namespace

Result<Geometry> resolve_tf_atrous(const Problem& problem, const AtrousConv2dAttributes& a) {
  if (const auto refusal = check_ranks(problem, 4, 4)) return *refusal;
  const Operands operands = operands_of(problem);
  Findings findings;
  check_tensors(problem, findings);
  check_attributes(a, findings);
  check_channels(operands, 1, findings);
  check_kernel(operands, findings);
  if (problem.bias) {
    findings.add(Fault::kBias, "bias=" + to_string(*problem.bias) + ": AtrousConv2d has none");
  }
  if (findings.any_of(kNoSizes)) return findings.first();

  Geometry geometry{.N = operands.N,
                    .G = 1,
                    .IC = operands.IC,
                    .OC = operands.OC,
                    .I = operands.I,
                    .O = {},
                    .K = operands.K,
                    .S = spatial({}, 1),
                    .D = spatial({a.rate, a.rate}, 1),
                    .P_begin = {},
                    .P_end = {},
                    .spatial_rank = 2,
                    .dst = {}};
  const bool as_printed = problem.reading == Reading::kDocumented && a.padding == TfPadding::kValid;
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    if (as_printed && axis >= kHeight) {
      resolve_printed_axis(axis, geometry, findings);
    } else {
      resolve_axis(axis, a, problem.reading, geometry, findings);
    }
  }
  if (findings.any_of(kNoSizes)) return findings.first();
  geometry.dst = infer_dst(problem, operands, geometry.O, findings);
  if (findings.any()) return findings.first();
  return geometry;
}

Oracle evaluate_tf_atrous(const Geometry& geometry, std::span<const double> value,
                          std::span<const double> filters) {
  const Extent batch = geometry.N, in_channels = geometry.IC, out_channels = geometry.OC;
  const auto [in_height, in_width] = innermost<2>(geometry.I);
  const auto [filter_height, filter_width] = innermost<2>(geometry.K);
  const auto [out_height, out_width] = innermost<2>(geometry.O);
  const auto [top, left] = innermost<2>(geometry.P_begin);
  const Extent rate = geometry.D[kHeight];
  const Grid<4> value_grid{{batch, in_channels, in_height, in_width}};
  const Grid<4> filters_grid{{out_channels, in_channels, filter_height, filter_width}};

  Oracle output;
  for (const auto [b, out_channel, height, width] :
       Grid<4>{{batch, out_channels, out_height, out_width}}) {
    Sum sum;
    for (const auto [in_channel, dheight, dwidth] :
         Grid<3>{{in_channels, filter_height, filter_width}}) {
      const Extent row = height + rate * dheight - top;
      const Extent column = width + rate * dwidth - left;
      if (row < 0 || row >= in_height || column < 0 || column >= in_width) continue;
      sum.add_product(filters[filters_grid.offset({out_channel, in_channel, dheight, dwidth})],
                      value[value_grid.offset({b, in_channel, row, column})]);
    }
    sum.append_to(output);
  }
  return output;
}

}  // namespace concord::reference
