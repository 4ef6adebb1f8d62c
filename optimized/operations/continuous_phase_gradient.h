// SPDX-License-Identifier: Apache-2.0
// The gradients by input and theta of a layer of rational scale. Outputs of a phase (p,q) share
// their weights W [Cout, K Cin]. Of a block of them, with D [Cout,n] of diff_dst:
//
//   by the input  P' = W^T D is added to the gradients of the pixels that the block sees
//   by theta      W' += D P^T, with the pixels P [K Cin, n]; of the whole phase, W' then goes back
//                 through the net at the phase's K distances
//
// Numeric  f64 throughout: W is not rounded, products and sums are the engine's convolutions in f64
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PHASE_GRADIENT_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PHASE_GRADIENT_H_

#include <array>

#include "optimized/operations/continuous_gradient.h"
#include "optimized/operations/continuous_net.h"

namespace concord::optimized {

/// The outputs p, p + k_h, .. by q, q + k_w, ..
struct LayerPhase {
  Extent p = 0, q = 0;
  Support vertical{}, horizontal{};  ///< of the first of them
  Extent neighbours() const { return vertical.count * horizontal.count; }
};
LayerPhase phase_at(const ContinuousShape& shape, Extent index);
Extent phase_count(const ContinuousShape& shape);

/// Calls visit(output of the net, column of distances, place in [Cout,neighbours,Cin]) for every
/// weight of a phase.
template <class Visit>
void for_each_weight(const ContinuousShape& s, const LayerPhase& phase, Visit visit) {
  const bool all = predicts_all(s.function);
  Extent place = 0;
  for (Extent co = 0; co < s.Cout; ++co) {
    for (Extent k = 0; k < phase.neighbours(); ++k) {
      const Extent slot =
          k / phase.horizontal.count * s.horizontal.slots() + k % phase.horizontal.count;
      for (Extent pair = co * s.Cin; pair < (co + 1) * s.Cin; ++pair, ++place) {
        visit(all ? pair * s.slots() + slot : pair, all ? 0 : k, place);
      }
    }
  }
}

/// The largest block.
inline constexpr Extent kMostOfBlock = 128;

/// Outputs of a phase, row by row: output i, q + k_w u, whose first neighbour is in row y.
struct PhaseBlock {
  struct Place {
    Extent i, u, y;
  };
  Extent count = 0;
  std::array<Place, kMostOfBlock> places{};
};

/// Copies a block of image n of diff_dst to `to` [Cout,size], zeros behind the last one.
void gather_phase_delta(const ContinuousShape& shape, const LayerPhase& phase,
                        const PhaseBlock& block, Extent n, const void* diff_dst, Extent size,
                        double* to);

/// kPhases if that is possible and pays, or is `asked` for; else kFeatures.
/// Errors  kSyntax if it is asked for, and impossible
Result<GradientWay> choose_gradient_way(const ContinuousShape& shape,
                                        std::optional<GradientWay> asked);

/// A block's outputs, of which no phase has more than `outputs` in a row of blocks.
Extent phase_block(const ContinuousShape& shape, Extent outputs);

/// Sets plan->phases, and the memory of the whole.
/// Errors  kLimit for what fits no memory
std::optional<Refusal> plan_input_phases(const Options& options, ContinuousGradientPlan* plan);
std::optional<Refusal> plan_theta_phases(const Options& options, ContinuousGradientPlan* plan);

void run_input_phases(const ContinuousGradientPlan& plan, const void* theta, const void* diff_dst,
                      void* diff_src, void* workspace);
void run_theta_phases(const ContinuousGradientPlan& plan, const void* src, const void* theta,
                      const void* diff_dst, const Tensor& layout, void* diff_theta,
                      void* workspace);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_PHASE_GRADIENT_H_
