// SPDX-License-Identifier: Apache-2.0
// Bugs of the continuous layer's grid, its neighbours and what stands outside the image.
#include <algorithm>
#include <cmath>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// The parameters of a net that is asked once for all neighbours depend on how many there are.
void set_ties(ContinuousGeometry& g, Ties ties) {
  if (predicts_all(g.function)) return;
  g.vertical.ties = g.horizontal.ties = ties;
}

template <Boundary kAsked, Boundary kTaken>
void take_boundary(const Problem&, ContinuousGeometry& g) {
  if (g.vertical.boundary == kAsked) g.vertical.boundary = g.horizontal.boundary = kTaken;
}

// The `count` neighbours from `first` on, as seen from `g`.
Nears nears_from(const ContinuousAxis& axis, Extent first, Extent count, double g) {
  Nears nears;
  for (Extent m = first; m < first + count; ++m) {
    nears.push_back(
        {m, g - static_cast<double>(m), reference::pixel_at(axis.boundary, axis.in, m)});
  }
  return nears;
}

// The grid point with every operation in f32.
float grid_in_f32(const ContinuousAxis& axis, Extent n) {
  const auto scale = static_cast<float>(axis.scale.to_double());
  return static_cast<float>(n) / scale + static_cast<float>(axis.in - 1) / 2 -
         static_cast<float>(axis.out - 1) / (2 * scale);
}

const ContinuousAttributes& asked(const Problem& problem) {
  return std::visit(
      [](const auto& a) -> const ContinuousAttributes& {
        if constexpr (std::is_base_of_v<ContinuousAttributes, std::decay_t<decltype(a)>>) {
          return a;
        } else {
          static const ContinuousAttributes none;
          return none;
        }
      },
      problem.attributes);
}

bool at_border(const ContinuousRun& run, const NearTap& tap) {
  const auto lacks = [](const Near& near) { return !near.source; };
  const Nears& rows = run.rows[static_cast<std::size_t>(tap.i)];
  const Nears& columns = run.columns[static_cast<std::size_t>(tap.j)];
  return std::any_of(rows.begin(), rows.end(), lacks) ||
         std::any_of(columns.begin(), columns.end(), lacks);
}

const Bug kBugs[] = {
    {"cc_ties_closed", "cc ties",
     "Takes both neighbours at the border of the support where one belongs to it.",
     "isl-org/Open3D#4512",
     continuous({.geometry =
                     [](const Problem&, ContinuousGeometry& g) {
                       if (g.vertical.ties == Ties::kHalfOpen) {
                         set_ties(g, Ties::kClosed);
                       }
                     }})},
    {"cc_ties_open", "cc ties",
     "Takes no neighbour at the border of the support where one belongs to it.",
     "isl-org/Open3D#4512",
     continuous({.geometry =
                     [](const Problem&, ContinuousGeometry& g) {
                       if (g.vertical.ties == Ties::kHalfOpen) {
                         set_ties(g, Ties::kOpen);
                       }
                     }})},
    {"cc_ties_right", "cc ties",
     "Takes the right neighbour at the border of the support instead of the left one.",
     "a common slip",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       if (axis.ties != Ties::kHalfOpen || nears.empty()) return;
                       const auto g = reference::grid_point(axis, n);
                       const auto border = g - Rational(axis.K, 2);
                       if (!border.is_integer()) return;
                       nears = nears_from(axis, nears.front().m + 1, axis.K, g.to_double());
                     }})},
    {"cc_ties_in_f32", "cc ties",
     "Computes the grid in f32 and looks for the first neighbour an f32 epsilon further left.",
     "assafshocher/ResizeRight",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       if (axis.ties != Ties::kHalfOpen) return;
                       constexpr float kEpsilon = 1.1920929e-7F;
                       const float g = grid_in_f32(axis, n);
                       const float border = g - static_cast<float>(axis.K) / 2 - kEpsilon;
                       nears = nears_from(axis, static_cast<Extent>(std::ceil(border)), axis.K,
                                          static_cast<double>(g));
                     }})},
    {"cc_even_support_off_by_one", "cc neighbours",
     "Takes the neighbours of an even support one pixel too far right.", "root-project/root#21737",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       if (axis.K % 2 != 0 || nears.empty()) return;
                       const double g = reference::grid_point(axis, n).to_double();
                       nears = nears_from(axis, nears.front().m + 1,
                                          static_cast<Extent>(nears.size()), g);
                     }})},
    {"cc_last_neighbour_left_out", "cc neighbours", "Leaves out the last neighbour of each row.",
     "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       const auto columns = run.columns[static_cast<std::size_t>(tap.j)].size();
                       const auto place = tap.k % run.g.horizontal.slots();
                       if (place + 1 == static_cast<Extent>(columns)) {
                         tap.counts = false;
                       }
                     }})},
    {"cc_border_taken_for_empty", "cc neighbours",
     "Gives zero where a neighbour lies outside the image, as if there were none inside.",
     "isl-org/Open3D-ML#646",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (at_border(run, tap)) tap.counts = false;
                     }})},
    {"cc_scale_of_height", "cc grid", "Scales the width by the height's scale.",
     "isl-org/Open3D PR#2361",
     continuous(
         {.geometry = [](const Problem&,
                         ContinuousGeometry& g) { g.horizontal.scale = g.vertical.scale; }})},
    {"cc_size_not_in_grid", "cc grid",
     "Projects the grid by the scale alone, whatever the output's size.",
     "assafshocher/ResizeRight",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       const Rational g = n / axis.scale + (1 / axis.scale - 1) / 2;
                       const Rational border = g - Rational(axis.K, 2);
                       nears = nears_from(axis, border.ceil(), static_cast<Extent>(nears.size()),
                                          g.to_double());
                     }})},
    {"cc_grid_at_corners", "cc grid",
     "Projects the grid so that the images' corner pixels coincide.",
     "pytorch/pytorch: align_corners of its interpolation",
     continuous({.nears =
                     [](const ContinuousAxis& axis, Extent n, Nears& nears) {
                       if (axis.out < 2) return;
                       const Rational g(n * (axis.in - 1), axis.out - 1);
                       const Rational border = g - Rational(axis.K, 2);
                       nears = nears_from(axis, border.ceil(), static_cast<Extent>(nears.size()),
                                          g.to_double());
                     }})},
    {"cc_size_rounded_down",
     "cc shape",
     "Rounds the output's size down.",
     "a common slip",
     {.forms = {.answer =
                    [](const Problem& problem, Answer& answer) {
                      const ContinuousAttributes& a = asked(problem);
                      if (problem.operation() != Operation::kContinuousConvolution) return;
                      if (!a.size.empty()) return;
                      answer.dst_dims[2] = (a.scale_h * problem.src.dims[2]).floor();
                      answer.dst_dims[3] = (a.scale_w * problem.src.dims[3]).floor();
                    }}}},
    {"cc_size_by_division",
     "cc shape",
     "Divides by the inverse scale in f64 before it rounds the output's size up.",
     "assafshocher/ResizeRight",
     {.forms = {.answer =
                    [](const Problem& problem, Answer& answer) {
                      const ContinuousAttributes& a = asked(problem);
                      if (problem.operation() != Operation::kContinuousConvolution) return;
                      if (!a.size.empty()) return;
                      const auto size = [](const Rational& scale, Extent in) {
                        const double step = 1 / scale.to_double();
                        return static_cast<Extent>(std::ceil(static_cast<double>(in) / step));
                      };
                      answer.dst_dims[2] = size(a.scale_h, problem.src.dims[2]);
                      answer.dst_dims[3] = size(a.scale_w, problem.src.dims[3]);
                    }}}},
    {"cc_replicate_for_reflect", "cc boundary",
     "Replicates the border's pixel where it should mirror the image.", "a common slip",
     continuous({.geometry = take_boundary<Boundary::kReflect, Boundary::kReplicate>})},
    {"cc_reflect_for_symmetric", "cc boundary",
     "Mirrors the image about the outermost pixel instead of the edge.", "assafshocher/ResizeRight",
     continuous({.geometry = take_boundary<Boundary::kSymmetric, Boundary::kReflect>})},
    {"cc_replicate_for_zero", "cc boundary",
     "Replicates the border's pixel where zeros should stand.", "a common slip",
     continuous({.geometry = take_boundary<Boundary::kZero, Boundary::kReplicate>})},
    {"cc_zero_for_replicate", "cc boundary",
     "Reads zeros where the border's pixel should be replicated.", "a common slip",
     continuous({.geometry = take_boundary<Boundary::kReplicate, Boundary::kZero>})},
    {"cc_left_of_row_reads_row_before", "cc boundary",
     "Left of a row, reads the end of the row before instead of zero.", "openxla/xla#48713",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (run.g.horizontal.boundary != Boundary::kZero) return;
                       const auto j = static_cast<std::size_t>(tap.j);
                       const auto place =
                           static_cast<std::size_t>(tap.k % run.g.horizontal.slots());
                       const Extent m = run.columns[j][place].m;
                       if (m >= 0 || m < -run.g.horizontal.in) return;
                       tap.column = m + run.g.horizontal.in;
                       tap.row -= 1;
                       tap.counts = tap.row >= 0;
                     }})},
    {"cc_flushes_results", "cc store", "Stores a subnormal result as zero.",
     "opencv/opencv PR#17295", form({.results = flush_results<is_continuous>})},
};

}  // namespace

std::span<const Bug> continuous_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
