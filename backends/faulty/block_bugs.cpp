// SPDX-License-Identifier: Apache-2.0
// Bugs of space_to_batch and batch_to_space, and of the convolutions that are built of them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"
#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

constexpr Extent kTail = 4;  // channels that a fast copy moves at once

Extent columns_first(const BlockNest& nest, const Phase& phase) {
  return (phase.column * nest.block + phase.row) * nest.space.N + phase.image;
}

Extent images_first(const BlockNest& nest, const Phase& phase) {
  return (phase.image * nest.block + phase.row) * nest.block + phase.column;
}

// Puts `wrong` in the place of the phases' order, of one of the two operations.
template <bool to_batch, Extent (*wrong)(const BlockNest&, const Phase&)>
Extent mistaken_batch(const BlockNest& nest, const Phase& phase) {
  if (nest.to_batch == to_batch) return wrong(nest, phase);
  return (phase.row * nest.block + phase.column) * nest.space.N + phase.image;
}

Extent atrous_rate(const Problem& problem) {
  const auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
  return a == nullptr ? 1 : a->rate;
}

bool is_atrous_same(const Problem& problem) {
  return std::holds_alternative<AtrousConv2dAttributes>(problem.attributes) && asks_same(problem);
}

// The value that space_to_batch by blocks and batch_to_space by images would bring to `at`: that of
// another place of another image; the right one where that place does not exist.
float exchanged(const Run& run, const At& at, Extent rate) {
  const Nest& nest = run.nest;
  const Extent phase = at.o[kHeight] % rate * rate + at.o[kWidth] % rate;
  const Extent batch = at.n * rate * rate + phase;
  const Extent row = at.o[kHeight] / rate * rate + batch / nest.N / rate;
  const Extent column = at.o[kWidth] / rate * rate + batch / nest.N % rate;
  if (row >= nest.O[kHeight] || column >= nest.O[kWidth]) return run.dst[dst_place(nest, at)];
  At there{batch % nest.N, at.oc, at.o};
  there.o[kHeight] = row;
  there.o[kWidth] = column;
  return run.dst[dst_place(nest, there)];
}

template <class Visit>
void for_each_output(const Nest& nest, Visit visit) {
  for (const auto [n, oc] : Grid<2>{{nest.N, nest.OC}}) {
    for (const Spatial& o : Grid(nest.O)) visit(At{n, oc, o});
  }
}

const Bug kBugs[] = {
    {"to_batch_padding_not_cleared", "blocks padding",
     "space_to_batch leaves in dst what was there where the padding belongs.",
     "tensorflow/tflite-micro#1646",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   if (nest.to_batch) move.written = move.inside;
                 }})},
    {"to_batch_pads_with_edge", "blocks padding",
     "space_to_batch pads with the border's value instead of zero.", "a common slip",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   if (!nest.to_batch || move.inside) return;
                   move.from.h = std::clamp<Extent>(move.from.h, 0, nest.space.H - 1);
                   move.from.w = std::clamp<Extent>(move.from.w, 0, nest.space.W - 1);
                   move.inside = true;
                 }})},
    {"to_batch_begin_and_end_swapped", "blocks padding",
     "space_to_batch pads the top by what belongs at the bottom, and left by what belongs right.",
     "a common slip",
     blocks({.nest =
                 [](BlockNest& nest) {
                   if (!nest.to_batch) return;
                   std::swap(nest.top, nest.bottom);
                   std::swap(nest.left, nest.right);
                 }})},
    {"to_batch_top_for_left", "blocks padding", "space_to_batch pads left as much as at the top.",
     "a common slip",
     blocks({.nest =
                 [](BlockNest& nest) {
                   if (nest.to_batch) nest.left = nest.top;
                 }})},
    {"to_batch_last_block_left_out", "blocks padding",
     "space_to_batch gives zeros for the last row of blocks if it is padded.",
     "tensorflow/tflite-micro#2319",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   if (!nest.to_batch || nest.bottom == 0) return;
                   if (move.to.h + 1 == nest.batch.H) move.inside = false;
                 }})},
    {"to_batch_columns_first", "blocks order",
     "space_to_batch counts the phases along the width before the height.", "a common slip",
     blocks({.batch_of = mistaken_batch<true, columns_first>})},
    {"to_batch_images_first", "blocks order",
     "space_to_batch puts the phases of one image side by side.", "a common slip",
     blocks({.batch_of = mistaken_batch<true, images_first>})},
    {"to_batch_first_image_only", "blocks order",
     "space_to_batch moves the first image for all of them.", "a common slip",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   if (nest.to_batch) move.from.n = 0;
                 }})},
    {"to_space_columns_first", "blocks order",
     "batch_to_space counts the phases along the width before the height.", "a common slip",
     blocks({.batch_of = mistaken_batch<false, columns_first>})},
    {"to_space_images_first", "blocks order",
     "batch_to_space takes the phases of one image for neighbours in the batch.", "a common slip",
     blocks({.batch_of = mistaken_batch<false, images_first>})},
    {"to_space_crops_ignored", "blocks crops",
     "batch_to_space crops at the end only, however much is to be cropped at the beginning.",
     "a common slip",
     blocks({.nest =
                 [](BlockNest& nest) {
                   if (!nest.to_batch) nest.top = nest.left = 0;
                 }})},
    {"to_space_begin_and_end_swapped", "blocks crops",
     "batch_to_space crops the top by what belongs at the bottom, and left by what belongs right.",
     "a common slip",
     blocks({.nest =
                 [](BlockNest& nest) {
                   if (nest.to_batch) return;
                   std::swap(nest.top, nest.bottom);
                   std::swap(nest.left, nest.right);
                 }})},
    {"to_space_crops_of_width", "blocks crops", "batch_to_space crops the top as much as left.",
     "a common slip",
     blocks({.nest =
                 [](BlockNest& nest) {
                   if (!nest.to_batch) nest.top = nest.left;
                 }})},
    {"blocks_channel_tail_left_out", "blocks channels",
     "Copies four channels at a time and leaves the rest of more than four as it was.",
     "Tencent/ncnn#1014",
     blocks({.move =
                 [](const BlockNest& nest, Move& move) {
                   if (nest.space.C <= kTail) return;
                   move.written = move.to.c < nest.space.C / kTail * kTail;
                 }})},
    {"blocks_nan_swallowed", "blocks special", "Moves a zero where NaN should be moved.",
     "tensorflow/tensorflow#63391",
     form({.results =
               [](const Problem& problem, std::vector<double>& dst) {
                 if (has_weights(problem.operation())) return;
                 for (double& value : dst) value = std::isnan(value) ? 0 : value;
               }})},
    {"blocks_infinity_clamped", "blocks special",
     "Moves the largest finite number where infinity should be moved.", "a common slip",
     form({.results =
               [](const Problem& problem, std::vector<double>& dst) {
                 if (has_weights(problem.operation())) return;
                 const double largest = format_of(problem.dtype).largest();
                 for (double& value : dst) {
                   if (std::isinf(value)) value = std::copysign(largest, value);
                 }
               }})},
    {"atrous_rate_for_height_only",
     "atrous",
     "Dilates atrous_conv2d's filter along the height only.",
     "openvinotoolkit/openvino PR#11940",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (atrous_rate(problem) > 1) nest.D[kWidth] = 1;
          }}},
    {"atrous_pads_of_dense_filter",
     "atrous",
     "SAME pads atrous_conv2d for the filter before it is dilated.",
     "a common slip",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (!is_atrous_same(problem)) return;
            for (std::size_t axis = kHeight; axis <= kWidth; ++axis) {
              nest.P_begin[axis] = (nest.K[axis] - 1) / 2;
            }
          }}},
    {"atrous_even_filter_pads_at_begin",
     "atrous",
     "SAME puts atrous_conv2d's odd cell at the beginning.",
     "root-project/root#21737",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (is_atrous_same(problem)) std::swap(nest.P_begin, nest.P_end);
          }}},
    {"atrous_zeros_before_taps",
     "atrous",
     "Stuffs zeros before each tap of atrous_conv2d's filter instead of between them.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.D[kHeight] < 2 || nest.D[kHeight] != nest.D[kWidth] || nest.S != kOnes) return;
            tap.counts = true;
            for (std::size_t axis = kHeight; axis <= kWidth; ++axis) {
              tap.i[axis] += nest.D[axis] - 1;
              tap.counts = tap.counts && inside(tap.i[axis], nest.I[axis]);
            }
          }}},
    {"atrous_partial_block_left_out",
     "atrous",
     "Computes whole blocks of atrous_conv2d only: what is left over at the bottom stays zero.",
     "tensorflow/tflite-micro#1646",
     {.outputs =
          [](Run& run) {
            const Extent rate = atrous_rate(run.problem);
            if (rate < 2) return;
            const Extent whole = run.nest.O[kHeight] / rate * rate;
            for_each_output(run.nest, [&](const At& at) {
              if (at.o[kHeight] >= whole) run.dst[dst_place(run.nest, at)] = 0;
            });
          }}},
    {"atrous_images_for_phases",
     "atrous",
     "Takes phases apart by blocks and puts them together by images.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            const Extent rate = atrous_rate(run.problem);
            if (rate < 2 || run.nest.N < 2) return;
            std::vector<float> wrong = run.dst;
            for_each_output(run.nest, [&](const At& at) {
              wrong[dst_place(run.nest, at)] = exchanged(run, at, rate);
            });
            run.dst = std::move(wrong);
          }}},
};

}  // namespace

std::span<const Bug> block_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
