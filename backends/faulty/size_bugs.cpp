// SPDX-License-Identifier: Apache-2.0
// Bugs of numbers that are kept too short, and of sizes at which an implementation changes what it
// does.
#include <cmath>
#include <cstdint>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

template <class Number, Spatial Nest::*numbers>
void keep_in(const Problem&, Nest& nest) {
  for (Extent& each : nest.*numbers) each = static_cast<Extent>(static_cast<Number>(each));
}

std::size_t axes_of(const Problem& problem) { return problem.src.dims.size() - 2; }

bool is_last(Extent o, Extent outputs) { return o + 1 == outputs; }

void forget_a_pad_within_the_stride(const Problem& problem, Nest& nest) {
  const Extent reach = (nest.K[kWidth] - 1) * nest.D[kWidth];
  const bool fits_without = (nest.I[kWidth] - reach - 1) % nest.S[kWidth] == 0;
  const bool is_within = nest.P_begin[kWidth] >= 3 && nest.P_begin[kWidth] < nest.S[kWidth];
  if (problem.dtype == Dtype::kBF16 && reach > 0 && fits_without && is_within) {
    nest.P_begin[kWidth] = 0;
  }
}

bool is_square(const Nest& nest, Extent K) { return nest.K[kHeight] == K && nest.K[kWidth] == K; }

const Bug kBugs[] = {
    {"stride_kept_in_16_bits",
     "size",
     "Keeps strides in 16 bits.",
     "a common slip",
     {.geometry = keep_in<std::uint16_t, &Nest::S>}},
    {"dilation_kept_in_8_bits",
     "size",
     "Keeps dilations in 8 bits.",
     "a common slip",
     {.geometry = keep_in<std::uint8_t, &Nest::D>}},
    {"pads_kept_in_32_bits",
     "size",
     "Keeps the pads before src in 32 bits.",
     "a common slip",
     {.geometry = keep_in<std::int32_t, &Nest::P_begin>}},
    {"outputs_counted_in_f32",
     "size",
     "Counts the windows of a row in f32: the ones beyond see nothing.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            const Extent padded = nest.I[kWidth] + nest.P_begin[kWidth] + nest.P_end[kWidth];
            const Extent reach = (nest.K[kWidth] - 1) * nest.D[kWidth];
            const float places = static_cast<float>(padded) - static_cast<float>(reach);
            const float counted = std::ceil(places / static_cast<float>(nest.S[kWidth]));
            if (static_cast<float>(tap.at.o[kWidth]) >= counted) tap.counts = false;
          }}},
    {"pad_within_the_stride_forgotten",
     "size",
     "In bf16, forgets a pad of three and more that is smaller than the stride, where the windows "
     "fit without it.",
     "uxlfoundation/oneDNN: docs/findings.md",
     {.geometry = forget_a_pad_within_the_stride}},
    {"last_axis_unpadded_beyond_three_axes",
     "size",
     "Of four axes and more, ignores the pads of the last one.",
     "a common slip",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (axes_of(problem) > 3) nest.P_begin[kWidth] = 0;
          }}},
    {"strided_axis_undilated_beyond_three_axes",
     "size",
     "Of four axes and more, ignores the dilation of the last one if it has a stride, too.",
     "a common slip",
     {.geometry =
          [](const Problem& problem, Nest& nest) {
            if (axes_of(problem) > 3 && nest.S[kWidth] > 1) nest.D[kWidth] = 1;
          }}},
    {"strided_pointwise_reads_on",
     "size",
     "Of a strided pointwise convolution in NCX, reads the last output of a row of 14 and more "
     "beside the one before.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            const bool is_meant = nest.K[kHeight] == 1 && nest.K[kWidth] == 1 &&
                                  nest.S[kWidth] > 1 && nest.O[kWidth] >= 14;
            if (!is_meant || !is_last(tap.at.o[kWidth], nest.O[kWidth])) return;
            tap.i[kWidth] -= nest.S[kWidth] - 1;
            tap.counts = inside(tap.i[kWidth], nest.I[kWidth]);
          }}},
    {"wide_kernel_cut_at_16",
     "size",
     "Ignores what a kernel has beyond its sixteenth column.",
     "a common slip",
     {.tap =
          [](const Nest&, Tap& tap) {
            if (tap.k[kWidth] >= 16) tap.counts = false;
          }}},
    {"tall_kernel_cut_at_10",
     "size",
     "Ignores what a square kernel has beyond its tenth row.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (is_square(nest, nest.K[kWidth]) && tap.k[kHeight] >= 10) tap.counts = false;
          }}},
    {"strided_square_unpadded_behind",
     "size",
     "Of kernels of 3x3 with stride 2 and as many channels as a vector has, reads the last column "
     "of windows that reach a single pad behind src one element before it.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            const bool is_meant = is_square(nest, 3) && nest.S[kHeight] == 2 &&
                                  nest.S[kWidth] == 2 && nest.P_begin[kWidth] == 0 &&
                                  nest.P_end[kWidth] == 1 && nest.ICG() % 8 == 0;
            if (!is_meant || tap.k[kWidth] != 2 || tap.i[kWidth] < nest.I[kWidth]) return;
            --tap.i[kWidth];
            tap.counts = true;
          }}},
    {"images_beyond_64_zero",
     "size",
     "Ignores src from the sixty-fifth image on.",
     "a common slip",
     {.tap =
          [](const Nest&, Tap& tap) {
            if (tap.n >= 64) tap.counts = false;
          }}},
};

}  // namespace

std::span<const Bug> size_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
