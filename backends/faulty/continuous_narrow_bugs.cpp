// SPDX-License-Identifier: Apache-2.0
// Bugs of the continuous layer and its gradients that show under one combination of attributes or
// extents alone.
#include <algorithm>
#include <cmath>
#include <map>

#include "backends/faulty/catalogue.h"
#include "reference/continuous_kernel.h"
#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

bool is_theta_gradient(const ContinuousRun& run) {
  return run.problem.operation() == Operation::kContinuousBackwardWeights;
}
bool is_data_gradient(const ContinuousRun& run) {
  return run.problem.operation() == Operation::kContinuousBackwardData;
}

// A scale with parts up to a thousand.
void round_scale(ContinuousAxis& axis) {
  constexpr Extent kParts = 1000;
  if (axis.scale.denominator() <= kParts) return;
  const Extent k = (kParts * axis.scale + Rational(1, 2)).floor();
  axis.scale = Rational(std::max<Extent>(k, 1), kParts);
}

void forget_mirror_of_one(ContinuousAxis& axis) {
  if (axis.in == 1) axis.boundary = Boundary::kZero;
}

// A tie, and the first of its neighbours.
bool is_tie(const ContinuousAxis& axis, Extent n) {
  return (reference::grid_point(axis, n) - Rational(axis.K, 2)).is_integer();
}

template <class Change>
void change_both(ContinuousGeometry& g, Change change) {
  change(g.vertical);
  change(g.horizontal);
}

// The weights of each output and pair of channels, divided by their sum.
void normalise(ContinuousRun& run) {
  const Grid<5> grid = reference::weights_grid(run.g);
  const Extent H = run.g.vertical.out, W = run.g.horizontal.out;
  for (const auto [co, ci, i, j] : Grid<4>{{run.g.Cout, run.g.Cin, H, W}}) {
    double sum = 0;
    for (Extent k = 0; k < run.g.slots(); ++k) sum += run.weights[grid.offset({co, ci, k, i, j})];
    if (sum == 0) continue;
    for (Extent k = 0; k < run.g.slots(); ++k) run.weights[grid.offset({co, ci, k, i, j})] /= sum;
  }
}

const Bug kBugs[] = {
    {"cc_scale_parts_above_thousand", "cc grid",
     "Rounds a scale whose denominator is above 1000 to thousandths.", "a common slip",
     continuous(
         {.geometry = [](const Problem&, ContinuousGeometry& g) { change_both(g, round_scale); }})},
    {"cc_one_row_not_repeated", "cc boundary",
     "Reads zeros beside a single row or column that should be repeated.", "a common slip",
     continuous({.geometry = [](const Problem&,
                                ContinuousGeometry& g) { change_both(g, forget_mirror_of_one); }})},
    {"cc_ties_lost_at_replicated_border", "cc ties",
     "With both ties, loses the right one of an output whose left one is replicated.",
     "a common slip",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       const bool both = axis.ties == Ties::kClosed && is_tie(axis, n);
                       if (!both || axis.boundary != Boundary::kReplicate) return;
                       if (nears.front().m < 0) nears.back().source.reset();
                     }})},
    {"cc_open_tie_of_one_pixel", "cc ties",
     "With a support of one pixel and no ties, takes the left neighbour of a tie.", "a common slip",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       if (axis.ties != Ties::kOpen || axis.K != 1 || !is_tie(axis, n)) return;
                       const Rational left = reference::grid_point(axis, n) - Rational(1, 2);
                       nears = {{left.floor(), 0.5,
                                 reference::pixel_at(axis.boundary, axis.in, left.floor())}};
                     }})},
    {"cc_third_phase_of_large_scales", "cc phases",
     "Enlarging by a whole number above two, uses the weights of the second phase for later ones.",
     "a common slip",
     continuous({.weights =
                     [](ContinuousRun& run) {
                       const Rational& s = run.g.horizontal.scale;
                       if (!s.is_integer() || s <= Rational(2)) return;
                       const Grid<5> grid = reference::weights_grid(run.g);
                       const std::vector<double> right = run.weights;
                       for (auto at : Grid<5>{{run.g.Cout, run.g.Cin, run.g.slots(),
                                               run.g.vertical.out, run.g.horizontal.out}}) {
                         const std::size_t place = grid.offset(at);
                         at[4] -= std::max<Extent>(at[4] % s.numerator() - 1, 0);
                         run.weights[place] = right[grid.offset(at)];
                       }
                     }})},
    {"cc_support_cut_to_image", "cc neighbours",
     "Takes no more neighbours along an axis than the image has pixels.", "a common slip",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent, Nears& nears) {
                       if (axis.K != axis.in + 1) return;
                       for (std::size_t k = static_cast<std::size_t>(axis.in); k < nears.size();
                            ++k) {
                         nears[k].source.reset();
                       }
                     }})},
    {"cc_data_beyond_own_size", "cc gradients",
     "The gradient by src leaves out the rows of diff_dst beyond ceil(scale * rows).",
     "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       const ContinuousAxis& rows = run.g.vertical;
                       if (!is_data_gradient(run)) return;
                       if (tap.i >= (rows.scale * rows.in).ceil()) tap.counts = false;
                     }})},
    {"cc_negative_slope_positive", "cc kernel", "Drops the sign of a negative slope.",
     "a common slip",
     continuous({.geometry = [](const Problem&,
                                ContinuousGeometry& g) { g.net.slope = std::fabs(g.net.slope); }})},
    {"cc_theta_offsets_last_tie", "cc gradients",
     "The gradient by theta of the efficient variant leaves out the last neighbour of a row where "
     "both ties count.",
     "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (!is_theta_gradient(run) || run.g.function != KernelFunction::kNetK) {
                         return;
                       }
                       const Extent slots = run.g.horizontal.slots();
                       if (run.g.horizontal.ties == Ties::kClosed && tap.k % slots == slots - 1) {
                         tap.counts = false;
                       }
                     }})},
    {"cc_theta_reflect_for_replicate", "cc gradients",
     "The gradient by theta replicates the border's pixel where the image is mirrored about it.",
     "a common slip",
     continuous({.geometry =
                     [](const Problem& problem, ContinuousGeometry& g) {
                       if (problem.operation() != Operation::kContinuousBackwardWeights) return;
                       change_both(g, [](ContinuousAxis& axis) {
                         if (axis.boundary == Boundary::kReflect) {
                           axis.boundary = Boundary::kReplicate;
                         }
                       });
                     }})},
    {"cc_keys_normalised", "cc kernel",
     "Divides the cubic's weights by their sum where the support cuts it off.",
     "assafshocher/ResizeRight: its antialiasing",
     continuous({.weights =
                     [](ContinuousRun& run) {
                       if (run.g.function == KernelFunction::kKeys) normalise(run);
                     }})},
};

}  // namespace

std::span<const Bug> continuous_narrow_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
