// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_phase_gradient.h"

#include <algorithm>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"
#include "optimized/operations/continuous_phases.h"
#include "optimized/operations/continuous_stage.h"
#include "optimized/runtime/arena.h"

namespace concord::optimized {
namespace {

// Bytes of a block's products or pixels, which stay in a core's own cache.
constexpr Extent kBlockBytes = 256 << 10;
constexpr Extent kLeastOfBlock = 8;
// Elements of what one row of each phase sees: beyond this, rows do not fit a workspace.
constexpr Extent kMostOfPeriod = Extent{1} << 24;

bool is_possible(const ContinuousShape& s) {
  if (!has_phases(s) || s.function == KernelFunction::kKeys) return false;
  const auto period =
      element_count({staged_extent(s.vertical, std::min(s.vertical.k, s.vertical.out)),
                     staged_extent(s.horizontal, s.horizontal.out), s.Cin});
  return period && *period <= kMostOfPeriod;
}

}  // namespace

Extent phase_count(const ContinuousShape& s) { return s.vertical.phases() * s.horizontal.phases(); }

LayerPhase phase_at(const ContinuousShape& s, Extent index) {
  const Extent p = index / s.horizontal.phases();
  const Extent q = index % s.horizontal.phases();
  return {p, q, s.vertical.support(p), s.horizontal.support(q)};
}

void gather_phase_delta(const ContinuousShape& s, const LayerPhase& phase, const PhaseBlock& block,
                        Extent n, const void* diff_dst, Extent size, double* to) {
  const Extents& strides = s.dst.strides;
  std::array<float, kMostOfBlock> row{};
  for (Extent first = 0, last = 0; first < block.count; first = last) {
    const PhaseBlock::Place& at = block.places[static_cast<std::size_t>(first)];
    while (last < block.count && block.places[static_cast<std::size_t>(last)].i == at.i) ++last;
    const Extent count = last - first;
    // Of one output the stride may be any number.
    const Extent step = count == 1 ? 0 : s.horizontal.k * strides[3];
    const Extent from =
        n * strides[0] + at.i * strides[2] + (phase.q + at.u * s.horizontal.k) * strides[3];
    for (Extent co = 0; co < s.Cout; ++co) {
      widen(s.dtype, element_at(diff_dst, from + co * strides[1], s.dtype), step, row.data(),
            count);
      std::copy_n(row.data(), count, to + co * size + first);
    }
  }
  for (Extent co = 0; co < s.Cout; ++co) {
    std::fill(to + co * size + block.count, to + (co + 1) * size, 0.0);
  }
}

Result<GradientWay> choose_gradient_way(const ContinuousShape& s,
                                        std::optional<GradientWay> asked) {
  if (s.is_empty() || s.is_zero()) return GradientWay::kFeatures;
  const bool wanted = asked ? *asked == GradientWay::kPhases : phases_pay(s);
  if (!wanted) return GradientWay::kFeatures;
  if (is_possible(s)) return GradientWay::kPhases;
  if (!asked) return GradientWay::kFeatures;
  return Refusal{Fault::kSyntax, "the layer's gradients have no phases, or too large ones"};
}

Extent phase_block(const ContinuousShape& s, Extent outputs) {
  const Extent bytes = s.slots() * s.Cin * static_cast<Extent>(sizeof(double));
  const Extent most = std::clamp(kBlockBytes / bytes, kLeastOfBlock, kMostOfBlock);
  const Extent blocks = (outputs + most - 1) / most;
  return (outputs + blocks - 1) / blocks;
}

}  // namespace concord::optimized
