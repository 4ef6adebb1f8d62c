// SPDX-License-Identifier: Apache-2.0
// In the document's symbols, as it has them for height: IH, KH and OH, stride SH, dilation DH,
// dilated kernel DKH, padding PH_L before and PH_R after.
#include "reference/onednn_graph.h"

#include <algorithm>

#include "reference/checks.h"
#include "reference/sum.h"
#include "spec/grid.h"

namespace concord::reference {
namespace {

// The document names same_upper and same_lower but gives no formula: what its library does, or what
// the text of Convolution-1 says, whose operation this is.
Wide same_padding(Reading reading, Wide IH, Wide DKH, Wide SH) {
  if (reading == Reading::kDocumented) return DKH - 1;
  const Wide past_last_start = IH % SH == 0 ? SH : IH % SH;
  return std::max<Wide>(DKH - past_last_start, 0);
}

void resolve_axis(std::size_t axis, AutoPad auto_pad, Reading reading, Geometry& geometry,
                  Findings& findings) {
  const Wide IH = geometry.I[axis], KH = geometry.K[axis];
  const Wide SH = geometry.S[axis], DH = geometry.D[axis];
  const Wide DKH = 1 + (KH - 1) * DH;
  Wide PH_L = geometry.P_begin[axis], PH_R = geometry.P_end[axis];
  if (auto_pad != AutoPad::kNone) {
    const Wide total = auto_pad == AutoPad::kValid ? 0 : same_padding(reading, IH, DKH, SH);
    PH_L = floor_divide(total + (auto_pad == AutoPad::kSameLower ? 1 : 0), 2);
    PH_R = total - PH_L;
  }
  const Wide OH = floor_divide(IH - DKH + PH_L + PH_R, SH) + 1;
  check_axis(axis, geometry.spatial_rank, {IH + PH_L + PH_R, DKH, OH}, findings);
  geometry.P_begin[axis] = static_cast<Extent>(PH_L);
  geometry.P_end[axis] = static_cast<Extent>(PH_R);
  geometry.O[axis] = static_cast<Extent>(OH);
}

}  // namespace

Result<Geometry> resolve_onednn_graph(const Problem& problem, const ConvolutionAttributes& a) {
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
                    .P_begin = spatial(a.pads_begin, 0),
                    .P_end = spatial(a.pads_end, 0),
                    .spatial_rank = operands.spatial_rank,
                    .dst = {}};
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    resolve_axis(axis, a.auto_pad, problem.reading, geometry, findings);
  }
  if (findings.any_of(kNoSizes)) return findings.first();
  geometry.dst = infer_dst(problem, operands, geometry.O, findings);
  if (findings.any()) return findings.first();
  return geometry;
}

Oracle evaluate_onednn_graph(const Geometry& geometry, std::span<const double> src,
                             std::span<const double> weights, std::span<const double> bias) {
  const Extent N = geometry.N, G = geometry.G, IC = geometry.IC;
  const Extent IC_G = geometry.ICG(), OC_G = geometry.OCG();
  const auto [ID, IH, IW] = innermost<3>(geometry.I);
  const auto [KD, KH, KW] = innermost<3>(geometry.K);
  const auto [OD, OH, OW] = innermost<3>(geometry.O);
  const auto [SD, SH, SW] = innermost<3>(geometry.S);
  const auto [DD, DH, DW] = innermost<3>(geometry.D);
  const auto [PD_L, PH_L, PW_L] = innermost<3>(geometry.P_begin);
  const Grid<5> src_grid{{N, IC, ID, IH, IW}};
  const Grid<6> weights_grid{{G, OC_G, IC_G, KD, KH, KW}};  // the same memory as [OC, IC_G, ...]

  Oracle dst;
  for (const auto [n, g, oc_g, od, oh, ow] : Grid<6>{{N, G, OC_G, OD, OH, OW}}) {
    Sum sum;
    if (!bias.empty()) sum.add(bias[static_cast<std::size_t>(g * OC_G + oc_g)]);
    for (const auto [ic_g, kd, kh, kw] : Grid<4>{{IC_G, KD, KH, KW}}) {
      const Extent id = od * SD + kd * DD - PD_L;
      const Extent ih = oh * SH + kh * DH - PH_L;  // the document's oh''
      const Extent iw = ow * SW + kw * DW - PW_L;
      if (id < 0 || id >= ID || ih < 0 || ih >= IH || iw < 0 || iw >= IW) continue;
      sum.add_product(src[src_grid.offset({n, g * IC_G + ic_g, id, ih, iw})],
                      weights[weights_grid.offset({g, oc_g, ic_g, kd, kh, kw})]);
    }
    sum.append_to(dst);
  }
  return dst;
}

}  // namespace concord::reference
