// SPDX-License-Identifier: Apache-2.0
// Bugs of kernel, stride and dilation.
#include <algorithm>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

bool is_pointwise(const Nest& nest) { return nest.K == kOnes; }

// Moves a tap's place in src along one axis, and sees whether src still has it.
void move(const Nest& nest, Tap& tap, std::size_t axis, Extent to) {
  tap.i[axis] = to;
  tap.counts = true;
  for (std::size_t a = 0; a < kSpatialRank; ++a) {
    tap.counts = tap.counts && inside(tap.i[a], nest.I[a]);
  }
}

const Bug kBugs[] = {
    {"kernel_flip",
     "kernel",
     "Convolves instead of cross-correlating: the kernel is mirrored.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              tap.w_k[axis] = nest.K[axis] - 1 - tap.k[axis];
            }
          }}},
    {"kernel_transposed",
     "kernel",
     "Swaps height and width of a square kernel.",
     "openvinotoolkit/openvino PR#9518",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.K[kHeight] == nest.K[kWidth]) std::swap(tap.w_k[kHeight], tap.w_k[kWidth]);
          }}},
    {"kernel_last_tap_skipped",
     "kernel",
     "Leaves out the last tap of the kernel.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (is_pointwise(nest)) return;
            Spatial last = nest.K;
            for (Extent& k : last) k -= 1;
            if (tap.k == last) tap.counts = false;
          }}},
    {"wide_kernel_cut",
     "kernel",
     "Ignores what a kernel has beyond its fifth column.",
     "a common slip",
     {.tap =
          [](const Nest&, Tap& tap) {
            if (tap.k[kWidth] >= 5) tap.counts = false;
          }}},
    {"even_kernel_shifted",
     "kernel",
     "Centres an even kernel one column too far right.",
     "root-project/root#21737",
     {.geometry =
          [](const Problem&, Nest& nest) {
            if (nest.K[kWidth] % 2 == 0) nest.P_begin[kWidth] -= 1;
          }}},
    {"pointwise_ignores_stride",
     "kernel",
     "The fast path for a 1x1 kernel knows no stride.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (is_pointwise(nest)) {
              move(nest, tap, kWidth, tap.at.o[kWidth] - nest.P_begin[kWidth]);
            }
          }}},
    {"pointwise_ignores_pads",
     "kernel",
     "The fast path for a 1x1 kernel knows no padding.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (is_pointwise(nest)) move(nest, tap, kWidth, tap.at.o[kWidth] * nest.S[kWidth]);
          }}},
    {"fourth_axis_and_depth_swapped",
     "kernel",
     "Reads a kernel with its fourth axis from the inside for its depth, where both are as long.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            constexpr std::size_t kFourth = kDepth - 1;
            if (nest.K[kFourth] == nest.K[kDepth]) std::swap(tap.w_k[kFourth], tap.w_k[kDepth]);
          }}},
    {"height_and_width_swapped",
     "kernel",
     "Reads element (w, h) of the input for (h, w), where there is one.",
     "ZFTurbo/timm_3d#9",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (inside(tap.i[kWidth], nest.I[kHeight]) && inside(tap.i[kHeight], nest.I[kWidth])) {
              std::swap(tap.i[kHeight], tap.i[kWidth]);
            }
          }}},
    {"stride_ignored",
     "stride",
     "Moves the window by one element, whatever the stride.",
     "a common slip",
     {.geometry = [](const Problem&, Nest& nest) { nest.S = kOnes; }}},
    {"stride_height_for_width",
     "stride",
     "Uses the stride of the height for the width.",
     "apache/tvm PR#7068",
     {.geometry = [](const Problem&, Nest& nest) { nest.S[kWidth] = nest.S[kHeight]; }}},
    {"stride_height_width_swapped",
     "stride",
     "Swaps the strides of height and width.",
     "apache/tvm PR#7068",
     {.geometry = [](const Problem&, Nest& nest) { std::swap(nest.S[kHeight], nest.S[kWidth]); }}},
    {"stride_at_most_two",
     "stride",
     "Takes a stride beyond 2 for 2.",
     "a common slip",
     {.geometry =
          [](const Problem&, Nest& nest) {
            for (Extent& stride : nest.S) stride = std::min<Extent>(stride, 2);
          }}},
    {"stride_keeps_the_last",
     "stride",
     "Of each stride's elements, keeps the last instead of the first.",
     "a common slip",
     {.geometry =
          [](const Problem&, Nest& nest) {
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              nest.P_begin[axis] -= nest.S[axis] - 1;
            }
          }}},
    {"stride_of_depth_ignored",
     "stride",
     "Moves through a volume's depth by one element.",
     "a common slip",
     {.geometry = [](const Problem&, Nest& nest) { nest.S[kDepth] = 1; }}},
    {"stride_outside_depth_ignored",
     "stride",
     "Strides depth, height and width alone: along other axes the window moves by one element.",
     "a common slip",
     {.geometry = [](const Problem&,
                     Nest& nest) { std::fill_n(nest.S.begin(), kDepth, Extent{1}); }}},
    {"stride_and_dilation_swapped",
     "dilation",
     "Takes the stride for the dilation.",
     "huggingface/candle PR#2337",
     {.geometry = [](const Problem&, Nest& nest) { std::swap(nest.S, nest.D); }}},
    {"dilation_ignored",
     "dilation",
     "Computes with a dense kernel.",
     "tensorflow/tensorflow#18454",
     {.geometry = [](const Problem&, Nest& nest) { nest.D = kOnes; }}},
    {"dilation_as_stride",
     "dilation",
     "Dilates by moving the window further.",
     "keras-team/keras PR#10967",
     {.geometry =
          [](const Problem&, Nest& nest) {
            for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
              if (nest.D[axis] > 1) nest.S[axis] = nest.D[axis];
            }
            nest.D = kOnes;
          }}},
    {"dilation_height_for_width",
     "dilation",
     "Dilates the width as the height.",
     "openvinotoolkit/openvino PR#11940",
     {.geometry = [](const Problem&, Nest& nest) { nest.D[kWidth] = nest.D[kHeight]; }}},
    {"dilation_counts_gaps",
     "dilation",
     "Mixes up two conventions: reads dilation d as d - 1 elements from tap to tap.",
     "the two conventions of uxlfoundation/oneDNN",
     {.geometry =
          [](const Problem&, Nest& nest) {
            for (Extent& dilation : nest.D) dilation = std::max<Extent>(dilation - 1, 1);
          }}},
    {"dilation_ignored_when_strided",
     "dilation",
     "Knows stride and dilation, but not both.",
     "tensorflow/tensorflow#57128",
     {.geometry =
          [](const Problem&, Nest& nest) {
            if (nest.S != kOnes) nest.D = kOnes;
          }}},
    {"large_dilation_wrong_row",
     "dilation",
     "From dilation 4 on, comes to the wrong row.",
     "Tencent/ncnn#75",
     {.geometry =
          [](const Problem&, Nest& nest) {
            if (nest.D[kHeight] >= 4) nest.D[kHeight] -= 1;
          }}},
    {"dilation_of_depth_ignored",
     "dilation",
     "Does not dilate a kernel's depth.",
     "a common slip",
     {.geometry = [](const Problem&, Nest& nest) { nest.D[kDepth] = 1; }}},
    {"dilation_outside_depth_ignored",
     "dilation",
     "Dilates a kernel's depth, height and width alone.",
     "a common slip",
     {.geometry = [](const Problem&,
                     Nest& nest) { std::fill_n(nest.D.begin(), kDepth, Extent{1}); }}},
    {"atrous_tail_not_zeroed",
     "dilation",
     "Fills up the batches of AtrousConv2d with the last row instead of zeros.",
     "tensorflow/tflite-micro#1646",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            // The loops' own mark for "this is AtrousConv2d with a tail": a negative padding.
            const bool atrous = problem.operation() == Operation::kAtrousConv2d;
            const Extent padded = nest.I[kHeight] + nest.P_begin[kHeight] + nest.P_end[kHeight];
            if (atrous && padded % nest.D[kHeight] != 0) nest.P_end[kHeight] = -1;
          },
      .tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.P_end[kHeight] == -1 && tap.i[kHeight] >= nest.I[kHeight]) {
              move(nest, tap, kHeight, nest.I[kHeight] - 1);
            }
          }}},
};

}  // namespace

std::span<const Bug> window_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
