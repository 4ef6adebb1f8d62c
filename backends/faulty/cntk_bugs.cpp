// SPDX-License-Identifier: Apache-2.0
// Bugs of CNTK's convolutions: sharing, maps, padding and the output's shape.
#include <algorithm>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

using reference::CntkAxis;

CntkConvolutionAttributes* n_d(Problem& problem) {
  return std::get_if<CntkConvolutionAttributes>(&problem.attributes);
}

// Shares the weights along `axis` although they are not shared.
template <std::size_t kAxis>
void share(const CntkNest& nest, CntkPlace& place) {
  if (nest.g.axes[kAxis].sharing) return;
  CntkPlace first = place;
  first.position[kAxis] = 0;
  place.run = run_of(nest.g, first);
}

bool is_hwc(const Problem& problem) {
  const auto* a = std::get_if<CntkConvolution2dAttributes>(&problem.attributes);
  return a != nullptr && a->image_layout == CntkLayout::kHwc;
}

Extent total_padding(const CntkAxis& axis) { return axis.lower + axis.upper; }

const Bug kBugs[] = {
    {"cntk_first_axis_shared", "cntk sharing",
     "Shares the weights along the first axis although its flag forbids it.", "a common slip",
     cntk({.place = share<0>})},
    {"cntk_second_axis_shared", "cntk sharing",
     "Shares the weights along the second axis although its flag forbids it.", "a common slip",
     cntk({.place = share<1>})},
    {"cntk_fifth_axis_shared", "cntk sharing",
     "Shares the weights along the fifth axis although its flag forbids it.", "a common slip",
     cntk({.place = share<4>})},
    {"cntk_runs_second_axis_first", "cntk sharing",
     "Where no axis of an image shares, counts the runs of weights along its height first.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 const CntkAxis& x = nest.g.axes[0];
                 const CntkAxis& y = nest.g.axes[1];
                 if (x.sharing || y.sharing || x.map_count > 1) return;
                 if (y.map_count > 1) return;
                 const Extent plane = x.positions * y.positions;
                 place.run +=
                     (place.position[0] * y.positions + place.position[1]) - place.run % plane;
               }})},
    {"cntk_runs_maps_first", "cntk sharing",
     "Where weights are not shared, counts their runs along the maps before the positions.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 Extent run = 0, factor = 1;
                 for (std::size_t axis = 0; axis < kBehind; ++axis) {
                   const CntkAxis& a = nest.g.axes[axis];
                   run += factor * place.map[axis];
                   factor *= a.map_count;
                 }
                 for (std::size_t axis = 0; axis < kBehind; ++axis) {
                   const CntkAxis& a = nest.g.axes[axis];
                   if (a.sharing) continue;
                   run += factor * place.position[axis];
                   factor *= a.positions;
                 }
                 place.run = run;
               }})},
    {"cntk_maps_interleaved", "cntk maps",
     "Puts the maps of one position side by side instead of the positions of one map.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 for (std::size_t axis = 0; axis < kBehind; ++axis) {
                   const CntkAxis& a = nest.g.axes[axis];
                   place.position[axis] = place.out[axis] / a.map_count;
                   place.map[axis] = place.out[axis] % a.map_count;
                 }
                 place.run = run_of(nest.g, place);
               }})},
    {"cntk_maps_in_reverse_order", "cntk maps",
     "With maps on two axes, counts their runs of weights along the later axis first.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 const bool shared = std::all_of(nest.g.axes.begin(), nest.g.axes.end(),
                                                 [](const CntkAxis& axis) { return axis.sharing; });
                 if (!shared) return;
                 place.run = 0;
                 for (std::size_t axis = 0; axis < kBehind; ++axis) {
                   place.run = place.run * nest.g.axes[axis].map_count + place.map[axis];
                 }
               }})},
    {"cntk_map_count_on_first_axis", "cntk maps",
     "Applies a single mapCount to the first axis instead of the last.", "a common slip",
     form({.problem =
               [](Problem& problem) {
                 CntkConvolutionAttributes* a = n_d(problem);
                 if (a == nullptr || a->map_count.size() != 1) return;
                 const std::size_t rank = problem.src.rank() - 1;
                 const Extent rows = problem.weights.rank() > 0 ? problem.weights.dims[0] : 1;
                 const Extent maps = a->map_count[0] == 0 ? rows : a->map_count[0];
                 a->map_count.assign(rank, 1);
                 a->map_count[0] = maps;
               }})},
    {"cntk_auto_pad_on_wrong_side", "cntk padding",
     "autoPadding puts the odd cell at the other end.", "microsoft/CNTK#3397",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 for (CntkAxis& axis : nest.g.axes) {
                   if (axis.auto_padding) std::swap(axis.lower, axis.upper);
                 }
               }})},
    {"cntk_auto_pad_as_tensorflow", "cntk padding",
     "autoPadding pads as SAME does: half the cells needed at the beginning, none where none are.",
     "keras-team/keras PR#10967",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 for (CntkAxis& axis : nest.g.axes) {
                   if (!axis.auto_padding) continue;
                   axis.lower = std::max<Extent>(total_padding(axis), 0) / 2;
                 }
               }})},
    {"cntk_crop_clamped", "cntk padding",
     "Begins at the input's edge where autoPadding begins inside it.", "openxla/xla#48713",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 for (CntkAxis& axis : nest.g.axes) {
                   axis.lower = std::max<Extent>(axis.lower, 0);
                 }
               }})},
    {"cntk_lower_pad_for_both", "cntk padding",
     "Pads the end by lowerPad: windows that need a larger upperPad are not computed.",
     "microsoft/CNTK#909",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 for (std::size_t axis = 0; axis < kBehind; ++axis) {
                   const CntkAxis& a = nest.g.axes[axis];
                   const Extent begin = tap.at.position[axis] * a.stride - a.lower;
                   if (a.auto_padding || a.upper <= a.lower) continue;
                   if (begin + a.kernel > a.input + a.lower) tap.counts = false;
                 }
               }})},
    {"cntk_lower_and_upper_pad_swapped", "cntk padding",
     "Pads the end by lowerPad and the beginning by upperPad.", "a common slip",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 for (CntkAxis& axis : nest.g.axes) {
                   if (!axis.auto_padding) std::swap(axis.lower, axis.upper);
                 }
               }})},
    {"cntk_auto_padding_of_first_axis", "cntk padding",
     "Takes the first axis's autoPadding for the second's.", "microsoft/CNTK: its legacy engine",
     form({.problem =
               [](Problem& problem) {
                 CntkConvolutionAttributes* a = n_d(problem);
                 if (a == nullptr || a->auto_padding.size() < 2) return;
                 a->auto_padding[1] = a->auto_padding[0];
               }})},
    {"cntk_hwc_padded_as_cudnn", "cntk padding",
     "Centres the windows of a padded HWC image as it does those of a cudnn one.",
     "microsoft/CNTK: its two engines",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 if (!is_hwc(problem)) return;
                 for (std::size_t axis = 0; axis < 2; ++axis) {
                   CntkAxis& a = nest.g.axes[axis];
                   if (!a.auto_padding) continue;
                   const Extent extra = a.input - 1 - (a.positions - 1) * a.stride;
                   a.lower = (a.kernel - 1) / 2 - extra / 2;
                 }
               }})},
    {"cntk_size_rounded_down",
     "cntk shape",
     "autoPadding gives one position less where the stride does not divide the input.",
     "a common slip",
     {.forms = {.answer =
                    [](const Problem& problem, Answer& answer) {
                      const auto* a = std::get_if<CntkConvolutionAttributes>(&problem.attributes);
                      if (a == nullptr || a->auto_padding[0] == 0) return;
                      const Extent input = problem.src.dims[0], stride = a->stride[0];
                      if (input % stride != 0) answer.dst_dims[0] -= answer.dst_dims[0] > 1 ? 1 : 0;
                    }}}},
    {"cntk_flushes_results", "cntk store", "Stores a subnormal result as zero.",
     "opencv/opencv PR#17295", form({.results = flush_results<is_column_major>})},
};

}  // namespace

std::span<const Bug> cntk_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
