// SPDX-License-Identifier: Apache-2.0
// Bugs of groups, of channels that do not fill a block, and of the bias.
#include <algorithm>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

bool is_pointwise(const Nest& nest) { return nest.K == kOnes; }

Extent group_of(const Nest& nest, const At& at) { return at.oc / nest.OCG(); }

// Does every tap of the element's window lie within src along height and width?
bool is_interior(const Nest& nest, const At& at) {
  for (std::size_t axis = kHeight; axis <= kWidth; ++axis) {
    const Extent begin = at.o[axis] * nest.S[axis] - nest.P_begin[axis];
    if (begin < 0 || begin + nest.D[axis] * (nest.K[axis] - 1) >= nest.I[axis]) return false;
  }
  return true;
}

const Bug kBugs[] = {
    {"groups_read_the_first",
     "groups",
     "Every group reads the input channels of the first.",
     "ROCm/rocm-libraries#4998",
     {.tap = [](const Nest&, Tap& tap) { tap.c = tap.ic; }}},
    {"groups_interleaved",
     "groups",
     "Deals the input channels out to the groups one by one.",
     "a common slip",
     {.tap = [](const Nest& nest, Tap& tap) { tap.c = tap.ic * nest.G + group_of(nest, tap.at); }}},
    {"groups_reversed",
     "groups",
     "Takes the groups in reverse order.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            tap.c = (nest.G - 1 - group_of(nest, tap.at)) * nest.ICG() + tap.ic;
          }}},
    {"groups_as_depthwise",
     "groups",
     "Sends every grouped problem to the depthwise kernel, which reads one channel a group.",
     "apache/tvm PR#3020",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.G > 1 && tap.ic > 0) tap.counts = false;
          }}},
    {"two_groups_pointwise_zero",
     "groups",
     "Gives zeros for two groups and a 1x1 kernel.",
     "pytorch/pytorch#19912",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.G == 2 && is_pointwise(nest)) tap.counts = false;
          }}},
    {"last_channel_of_groups_lost",
     "groups",
     "Loses the last input channel of the last group.",
     "openxla/xla#49123",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.G > 1 && tap.c == nest.IC - 1) tap.counts = false;
          }}},
    {"groups_weights_interleaved",
     "groups",
     "Reads the weights as if the group were the fastest part of the output channel.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            tap.w_oc = tap.at.oc % nest.OCG() * nest.G + group_of(nest, tap.at);
          }}},
    {"depthwise_multiplier_ignored",
     "groups",
     "Depthwise with several outputs a channel: takes output channel modulo groups.",
     "tensorflow/tensorflow#27012",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.ICG() == 1 && nest.G > 1) tap.c = tap.at.oc % nest.G;
          }}},
    {"many_groups_wide_kernel",
     "groups",
     "With groups and more than 8 taps a channel, leaves out the taps beyond.",
     "modularml/modular#6129",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            const auto place = static_cast<Extent>(place_in(nest.K, tap.k));
            if (nest.G > 1 && place >= 8) tap.counts = false;
          }}},
    {"input_channel_tail_skipped",
     "channels",
     "Sums input channels in blocks of 4 and forgets the rest.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (tap.ic >= nest.ICG() / 4 * 4) tap.counts = false;
          }}},
    {"input_channel_tail_doubled",
     "channels",
     "The last block of 4 input channels overlaps the one before: some count twice.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            const Nest& nest = run.nest;
            const Extent begin = nest.ICG() - 4, tail = nest.ICG() % 4;
            if (begin < 0 || tail == 0) return;
            const auto taps = static_cast<std::size_t>(volume(nest.K));
            for (Extent oc = 0; oc < nest.OC; ++oc) {
              for (Extent ic = begin; ic < nest.ICG() - tail; ++ic) {
                const std::size_t at = weights_place(nest, oc, ic, {0, 0, 0});
                for (std::size_t tap = 0; tap < taps; ++tap) run.weights[at + tap] *= 2;
              }
            }
          }}},
    {"output_channel_tail_zero",
     "channels",
     "Computes output channels in blocks of 8 and leaves the rest zero.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (tap.at.oc >= nest.OC / 8 * 8 && nest.OC >= 8) tap.counts = false;
          }}},
    {"few_channels_add_garbage",
     "channels",
     "With fewer than 4 input channels, adds what a register held before.",
     "apache/mxnet#20826",
     {.outputs =
          [](Run& run) {
            if (run.nest.ICG() >= 4 || run.dst.empty()) return;
            float held = 0;
            for (float& value : run.dst) {
              const float before = value;
              value += held;
              held = before;
            }
          }}},
    {"planes_not_of_four",
     "channels",
     "Where a plane of the output has no multiple of 4 elements, the last ones are zero.",
     "Tencent/ncnn#1014",
     {.outputs =
          [](Run& run) {
            const auto& O = run.nest.O;
            const auto plane = static_cast<std::size_t>(O[kHeight] * O[kWidth]);
            for (std::size_t i = 0; i < run.dst.size(); ++i) {
              if (i % plane >= plane / 4 * 4) run.dst[i] = 0;
            }
          }}},
    {"width_tail_repeats",
     "channels",
     "Output columns beyond the last block of 8 repeat the column before them.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            const auto width = static_cast<std::size_t>(run.nest.O[kWidth]);
            for (std::size_t i = 1; i < run.dst.size(); ++i) {
              if (i % width >= width / 8 * 8 && i % width > 0) run.dst[i] = run.dst[i - 1];
            }
          }}},
    {"batch_zero_only",
     "channels",
     "Reads the first image for every image of the batch.",
     "a common slip",
     {.tap = [](const Nest&, Tap& tap) { tap.n = 0; }}},
    {"bias_ignored",
     "bias",
     "Adds no bias.",
     "a common slip",
     {.with_bias = [](const Run&, const At&, float sum, float) { return sum; }}},
    {"bias_doubled",
     "bias",
     "Adds the bias twice.",
     "a common slip",
     {.with_bias = [](const Run&, const At&, float sum, float bias) { return sum + bias + bias; }}},
    {"bias_by_image",
     "bias",
     "Indexes the bias by the image instead of the channel.",
     "a common slip",
     {.with_bias =
          [](const Run& run, const At& at, float sum, float) {
            return sum + run.bias[static_cast<std::size_t>(at.n % run.nest.OC)];
          }}},
    {"bias_of_first_group",
     "bias",
     "Every group gets the bias of the first.",
     "a common slip",
     {.with_bias =
          [](const Run& run, const At& at, float sum, float) {
            return sum + run.bias[static_cast<std::size_t>(at.oc % run.nest.OCG())];
          }}},
    {"bias_of_one_element_not_broadcast",
     "bias",
     "Adds a bias of one element to the first channel alone.",
     "a common slip",
     {.with_bias =
          [](const Run& run, const At& at, float sum, float bias) {
            const bool is_single = run.problem.bias->dims == Extents{1};
            return is_single && at.oc > 0 ? sum : sum + bias;
          }}},
    {"bias_first_block_only",
     "bias",
     "Adds the bias to the first 8 output channels alone.",
     "a common slip",
     {.with_bias = [](const Run&, const At& at, float sum,
                      float bias) { return at.oc < 8 ? sum + bias : sum; }}},
    {"bias_lost_at_border",
     "bias",
     "Forgets the bias where the window touches the padding.",
     "a common slip",
     {.with_bias = [](const Run& run, const At& at, float sum,
                      float bias) { return is_interior(run.nest, at) ? sum + bias : sum; }}},
    {"bias_once_per_image_row",
     "bias",
     "Adds the bias to the first column of each row alone.",
     "a common slip",
     {.with_bias = [](const Run&, const At& at, float sum,
                      float bias) { return at.o[kWidth] == 0 ? sum + bias : sum; }}},
    {"relu_on_first_group",
     "bias",
     "A fused activation clips the first group's negative values.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            const Nest& nest = run.nest;
            const Extent plane = volume(nest.O);
            for (std::size_t i = 0; i < run.dst.size(); ++i) {
              const Extent oc = static_cast<Extent>(i) / plane % nest.OC;
              if (oc < nest.OCG()) run.dst[i] = std::max(run.dst[i], 0.0F);
            }
          }}},
};

}  // namespace

std::span<const Bug> channel_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
