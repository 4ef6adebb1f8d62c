// SPDX-License-Identifier: Apache-2.0
// Bugs of padding and of the output's shape.
#include <algorithm>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

Extent effective_kernel(const Nest& nest, std::size_t axis) {
  return nest.D[axis] * (nest.K[axis] - 1) + 1;
}

// The begin's share of a total of `total` elements that SAME pads.
Extent begin_share(const Problem& problem, Extent total) {
  return asked_auto_pad(problem) == AutoPad::kSameLower ? total - total / 2 : total / 2;
}

// Sets the padding of every axis of a SAME problem to `total(nest, axis)`, shared as asked.
template <class Total>
void pad_same(const Problem& problem, Nest& nest, Total total) {
  if (!asks_same(problem)) return;
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    nest.P_begin[axis] = begin_share(problem, total(nest, axis));
  }
}

// Pads the end until the window fits once, as a size rounded toward zero has it.
void widen_until_it_fits(Problem& problem, bool (*applies)(const Nest&, std::size_t, Extent)) {
  SpatialAttributes* a = asked_attributes(problem);
  if (a == nullptr) return;
  Problem roomy = problem;
  roomy.dst.reset();
  asked_attributes(roomy)->auto_pad = AutoPad::kNone;
  if (a->auto_pad != AutoPad::kNone && a->auto_pad != AutoPad::kValid) return;
  if (a->auto_pad == AutoPad::kValid) {
    a->pads_begin.assign(a->strides.size(), 0);
    a->pads_end = a->pads_begin;
  }
  const Extents pads = a->pads_end;
  for (Extent& pad : asked_attributes(roomy)->pads_end) pad += 1000;
  const auto lowered = lower(roomy);
  if (!lowered) return;
  const Nest nest = nest_of(*lowered);
  for (std::size_t i = 0; i < pads.size(); ++i) {
    const std::size_t axis = kSpatialRank - pads.size() + i;
    const Extent lacks = effective_kernel(nest, axis) - nest.I[axis] - a->pads_begin[i] - pads[i];
    if (lacks > 0 && applies(nest, axis, lacks)) a->pads_end[i] += lacks;
  }
  if (a->pads_end != pads) a->auto_pad = AutoPad::kNone;
}

const Bug kBugs[] = {
    {"pads_swapped",
     "padding",
     "Pads the end with what belongs at the beginning, and vice versa.",
     "a common slip",
     {.geometry = [](const Problem&, Nest& nest) { std::swap(nest.P_begin, nest.P_end); }}},
    {"same_pads_half_the_kernel",
     "padding",
     "SAME pads half the kernel at the beginning, whatever stride and parity.",
     "root-project/root#21737",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (!asks_same(problem)) return;
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              nest.P_begin[axis] = nest.K[axis] / 2;
            }
          }}},
    {"same_upper_and_lower_swapped",
     "padding",
     "SAME puts the odd element at the wrong end.",
     "root-project/root#21737",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (asks_same(problem)) std::swap(nest.P_begin, nest.P_end);
          }}},
    {"auto_pad_loses_to_pads",
     "padding",
     "Ignores auto_pad if an explicit pad is not zero, also for the shape.",
     "openvinotoolkit/openvino PR#30413",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a != nullptr && (has_nonzero(a->pads_begin) || has_nonzero(a->pads_end))) {
              a->auto_pad = AutoPad::kNone;
            }
          }}},
    {"auto_pad_adds_to_pads",
     "padding",
     "Shifts the window by the explicit pads although auto_pad is given.",
     "a common slip",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (asked_auto_pad(problem) == AutoPad::kNone) return;
            const Spatial pads = asked_pads_begin(problem);
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              nest.P_begin[axis] += pads[axis];
            }
          }}},
    {"pads_height_for_width",
     "padding",
     "Pads the width as the height.",
     "a common slip",
     {.geometry = [](const Problem&,
                     Nest& nest) { nest.P_begin[kWidth] = nest.P_begin[kHeight]; }}},
    {"pads_of_depth_ignored",
     "padding",
     "Does not pad the depth of a volume.",
     "a common slip",
     {.geometry = [](const Problem&, Nest& nest) { nest.P_begin[kDepth] = 0; }}},
    {"asymmetric_pads_averaged",
     "padding",
     "Pads both ends alike, with the mean of the two.",
     "microsoft/CNTK#909",
     {.geometry =
          [](const Problem&, Nest& nest) {
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              nest.P_begin[axis] = (nest.P_begin[axis] + nest.P_end[axis]) / 2;
            }
          }}},
    {"pad_replicates_edge",
     "padding",
     "Pads with the border's value instead of zero.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            tap.counts = nest.N > 0 && std::all_of(nest.I.begin(), nest.I.end(),
                                                   [](Extent extent) { return extent > 0; });
            for (std::size_t axis = 0; tap.counts && axis < kSpatialRank; ++axis) {
              tap.i[axis] = std::clamp<Extent>(tap.i[axis], 0, nest.I[axis] - 1);
            }
          }}},
    {"left_pad_reads_previous_row",
     "padding",
     "Left of a row, reads the end of the row before instead of zero.",
     "openxla/xla#48713",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (tap.i[kWidth] >= 0 || tap.i[kWidth] + nest.I[kWidth] < 0) return;
            tap.i[kWidth] += nest.I[kWidth];
            tap.i[kHeight] -= 1;
            tap.counts =
                inside(tap.i[kDepth], nest.I[kDepth]) && inside(tap.i[kHeight], nest.I[kHeight]);
          }}},
    {"right_pad_reads_next_row",
     "padding",
     "Right of a row, reads the beginning of the next row instead of zero.",
     "openxla/xla#48713",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (tap.i[kWidth] < nest.I[kWidth] || tap.i[kWidth] >= 2 * nest.I[kWidth]) return;
            tap.i[kWidth] -= nest.I[kWidth];
            tap.i[kHeight] += 1;
            tap.counts =
                inside(tap.i[kDepth], nest.I[kDepth]) && inside(tap.i[kHeight], nest.I[kHeight]);
          }}},
    {"same_ignores_stride",
     "padding",
     "SAME pads as much as stride 1 would need.",
     "Convolution-1's text against its implementation",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            pad_same(problem, nest,
                     [](const Nest& n, std::size_t axis) { return effective_kernel(n, axis) - 1; });
          }}},
    {"same_ignores_dilation",
     "padding",
     "SAME pads for the kernel before it is dilated.",
     "a common slip",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            pad_same(problem, nest, [](const Nest& n, std::size_t axis) {
              return std::max<Extent>((n.O[axis] - 1) * n.S[axis] + n.K[axis] - n.I[axis], 0);
            });
          }}},
    {"same_crops",
     "padding",
     "SAME begins inside the input where the stride skips past the kernel, instead of at its edge.",
     "microsoft/CNTK, its padding rule on another operation's problem",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (!asks_same(problem)) return;
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              const Extent total =
                  (nest.O[axis] - 1) * nest.S[axis] + effective_kernel(nest, axis) - nest.I[axis];
              if (total < 0) nest.P_begin[axis] = -((1 - total) / 2);
            }
          }}},
    {"pad_at_most_the_kernel",
     "padding",
     "Pads less than the kernel, however much is asked.",
     "Maratyszcza/NNPACK#103",
     {.geometry =
          [](const Problem&, Nest& nest) {
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              nest.P_begin[axis] = std::min(nest.P_begin[axis], nest.K[axis] - 1);
            }
          }}},
    {"border_window_moved_inside",
     "padding",
     "A window that reaches beyond the end is moved inside the input.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            const Extent begin = tap.i[kWidth] - tap.k[kWidth] * nest.D[kWidth];
            const Extent last = nest.I[kWidth] - effective_kernel(nest, kWidth);
            if (last < 0 || begin <= last) return;
            tap.i[kWidth] -= begin - last;
            tap.counts = true;
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              tap.counts = tap.counts && inside(tap.i[axis], nest.I[axis]);
            }
          }}},
    {"padding_outside_depth_at_the_end",
     "padding",
     "Beyond three spatial axes, puts all padding of the outermost ones at their end.",
     "a common slip",
     {.geometry = [](const Problem&,
                     Nest& nest) { std::fill_n(nest.P_begin.begin(), kDepth, Extent{0}); }}},
    {"too_small_input_accepted",
     "shape",
     "With a stride, accepts an input smaller than the kernel: the size is rounded toward zero.",
     "pytorch/pytorch#9592",
     {.problem =
          [](Problem& problem) {
            widen_until_it_fits(problem, [](const Nest& nest, std::size_t axis, Extent lacks) {
              return lacks < nest.S[axis];
            });
          }}},
    {"phantom_output",
     "shape",
     "Gives one output where the dilated kernel exceeds the padded input.",
     "google/XNNPACK PR#10453",
     {.problem =
          [](Problem& problem) {
            widen_until_it_fits(problem, [](const Nest& nest, std::size_t axis, Extent) {
              return nest.D[axis] > 1;
            });
          }}},
    {"small_input_refused",
     "shape",
     "Refuses an input smaller than the kernel although the padding makes it large enough.",
     "BVLC/caffe#2682",
     {.query = [](const Problem& problem) -> std::optional<Refused> {
       const Nest nest = nest_of(*lower(problem));
       for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
         if (nest.I[axis] < nest.K[axis]) return invalid("the kernel exceeds the input");
       }
       return std::nullopt;
     }}},
    {"negative_pads_accepted",
     "shape",
     "Takes negative pads for zero instead of refusing them.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a == nullptr) return;
            for (Extent& pad : a->pads_begin) pad = std::max<Extent>(pad, 0);
            for (Extent& pad : a->pads_end) pad = std::max<Extent>(pad, 0);
          }}},
    {"output_size_rounded_up",
     "shape",
     "Infers an output size rounded up, as pooling has it.",
     "onnx/onnx#7721",
     {.answer =
          [](const Problem& problem, Answer& answer) {
            const Nest nest = nest_of(*lower(problem));
            const std::size_t last = problem.src.rank() - 1;
            const std::size_t width = data_format_of(problem) == DataFormat::kNCX ? last : last - 1;
            const Extent room = nest.I[kWidth] + nest.P_begin[kWidth] + nest.P_end[kWidth] -
                                effective_kernel(nest, kWidth);
            answer.dst_dims[width] = (room + nest.S[kWidth] - 1) / nest.S[kWidth] + 1;
          }}},
};

}  // namespace

std::span<const Bug> padding_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
