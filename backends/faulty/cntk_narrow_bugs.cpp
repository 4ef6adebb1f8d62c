// SPDX-License-Identifier: Apache-2.0
// Bugs of CNTK's convolutions and of blocks that show under one combination of attributes alone.
#include <algorithm>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

using reference::CntkAxis;

const CntkConvolutionAttributes* n_d(const Problem& problem) {
  return std::get_if<CntkConvolutionAttributes>(&problem.attributes);
}
const CntkConvolution2dAttributes* flat(const Problem& problem) {
  return std::get_if<CntkConvolution2dAttributes>(&problem.attributes);
}
bool is_hwc(const Problem& problem) {
  return flat(problem) != nullptr && flat(problem)->image_layout == CntkLayout::kHwc;
}

// Gives all places along `axis` the weights of the first.
void share(const CntkNest& nest, std::size_t axis, CntkPlace& place) {
  CntkPlace first = place;
  first.position[axis] = 0;
  place.run = run_of(nest.g, first);
}

const Bug kBugs[] = {
    {"cntk_second_of_five_axes_shared", "cntk sharing",
     "With five axes, shares the weights along the second although its flag forbids it.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 if (nest.g.rank == 5 && !nest.g.axes[1].sharing) share(nest, 1, place);
               }})},
    {"cntk_third_axis_shared_beside_maps", "cntk sharing",
     "Shares the weights along a third axis that has maps although its flag forbids it.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 const CntkAxis& a = nest.g.axes[2];
                 if (nest.g.rank > 3 && !a.sharing && a.map_count > 1) share(nest, 2, place);
               }})},
    {"cntk_maps_of_three_swapped", "cntk maps",
     "With maps on the first two of three axes, counts the second's runs of weights first.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 const auto& axes = nest.g.axes;
                 const bool shared = axes[0].sharing && axes[1].sharing;
                 if (nest.g.rank != 3 || !shared) return;
                 const Extent plane = axes[0].map_count * axes[1].map_count;
                 place.run += place.map[0] * axes[1].map_count + place.map[1] - place.run % plane;
               }})},
    {"cntk_stride_of_channels_from_kernel", "cntk window",
     "With three axes, moves several windows over the channels by the kernel's extent where the "
     "stride is larger.",
     "a common slip",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 CntkAxis& last = nest.g.axes[nest.g.rank - 1];
                 const bool skips = last.positions > 1 && last.stride > last.kernel;
                 if (nest.g.rank == 3 && skips) last.stride = last.kernel;
               }})},
    {"cntk_third_of_six_axes_unstrided", "cntk window",
     "With six axes, moves windows along the third by one cell.", "a common slip",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 if (nest.g.rank == 6) nest.g.axes[2].stride = 1;
               }})},
    {"cntk_lower_pad_of_last_axis_ignored", "cntk padding", "Ignores the last axis's lowerPad.",
     "microsoft/CNTK#909",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 CntkAxis& last = nest.g.axes[nest.g.rank - 1];
                 if (!last.auto_padding && last.lower > 0) last.lower = 0;
               }})},
    {"cntk_stated_pads_beside_auto", "cntk padding",
     "Adds lowerPad to the padding of an axis that is padded automatically.", "a common slip",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 const auto* a = n_d(problem);
                 if (a == nullptr) return;
                 for (std::size_t axis = 0; axis < nest.g.rank; ++axis) {
                   if (!nest.g.axes[axis].auto_padding || a->lower_pad.empty()) continue;
                   const std::size_t i = a->lower_pad.size() == 1 ? 0 : axis;
                   if (i < a->lower_pad.size()) nest.g.axes[axis].lower += a->lower_pad[i];
                 }
               }})},
    {"cntk_auto_pad_of_fourth_axis_mirrored", "cntk padding",
     "Pads the fourth axis automatically on the other side.", "microsoft/CNTK#3397",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 CntkAxis& a = nest.g.axes[3];
                 if (nest.g.rank == 4 && a.auto_padding) std::swap(a.lower, a.upper);
               }})},
    {"cntk_one_row_of_weights_repeated", "cntk layout",
     "Takes weights that are given as one row for one kernel that all maps share.", "a common slip",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 if (problem.weights.dims[0] == 1) nest.weights[kBehind] = 0;
               }})},
    {"cntk_sub_batch_of_unshared_channels", "cntk memory",
     "Where the last axis is not shared, reads the first samples again for each part of "
     "maxTempMemSizeInSamples.",
     "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 if (nest.g.sub_batch < 2 || nest.g.axes[nest.g.rank - 1].sharing) return;
                 place.sample %= nest.g.sub_batch;
               }})},
    {"cntk_hwc_even_width_padding", "cntk padding",
     "Pads an HWC image under a kernel of even width by a column less on the left.",
     "microsoft/CNTK: its two engines",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 CntkAxis& width = nest.g.axes[0];
                 if (!is_hwc(problem) || !width.auto_padding || width.kernel % 2 != 0) return;
                 width.lower = (width.kernel - 1) / 2;
               }})},
    {"cntk_flat_row_stride_at_most_two", "cntk window",
     "Under a kernel of one row, moves windows down by two rows at most.", "a common slip",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 CntkAxis& height = nest.g.axes[1];
                 if (flat(problem) == nullptr || height.kernel != 1) return;
                 height.stride = std::min<Extent>(height.stride, 2);
               }})},
    {"to_batch_blocks_above_four", "blocks order",
     "space_to_batch with blocks above four: the fifth row of phases is that of the first.",
     "a common slip",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   const Extent row = (move.from.h + nest.top) % nest.block;
                   if (!nest.to_batch || row < 4) return;
                   move.from.h -= row;
                   move.inside = move.inside && move.from.h >= 0;
                 }})},
    {"to_space_crop_beyond_a_block", "blocks crops",
     "batch_to_space crops at most a block from the top.", "a common slip",
     blocks({.nest =
                 [](BlockNest& nest) {
                   if (!nest.to_batch) nest.top = std::min(nest.top, nest.block);
                 }})},
    {"blocks_last_of_seventeen_channels", "blocks channels",
     "Moves sixteen channels at once and leaves out the one behind them.", "a common slip",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   if (nest.space.C == 17 && move.to.c == 16) move.inside = false;
                 }})},
    {"atrous_rate_at_most_five",
     "atrous",
     "atrous_conv2d takes a rate above five for five.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
            if (a != nullptr && a->padding == TfPadding::kSame) {
              a->rate = std::min<Extent>(a->rate, 5);
            }
          }}},
};

}  // namespace

std::span<const Bug> cntk_narrow_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
