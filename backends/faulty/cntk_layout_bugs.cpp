// SPDX-License-Identifier: Apache-2.0
// Bugs of CNTK's convolutions: windows, kernels, the order in memory, samples, special values.
#include <algorithm>
#include <cmath>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// Looks again whether the input has the tap's element.
void see(const CntkNest& nest, CntkTap& tap) {
  tap.counts = true;
  for (std::size_t axis = 0; axis < tap.x.size(); ++axis) {
    tap.counts = tap.counts && tap.x[axis] >= 0 && tap.x[axis] < nest.g.axes[axis].input;
  }
}

bool is_hwc(const Problem& problem) {
  const auto* a = std::get_if<CntkConvolution2dAttributes>(&problem.attributes);
  return a != nullptr && a->image_layout == CntkLayout::kHwc;
}

const Bug kBugs[] = {
    {"cntk_first_version_as_later", "cntk padding",
     "Pads as the latest version does where the first version's zeroPadding is asked for.",
     "microsoft/CNTK: its versions",
     form({.problem =
               [](Problem& problem) {
                 if (problem.reading == Reading::kFirstVersion) {
                   problem.reading = Reading::kImplemented;
                 }
               }})},
    {"cntk_latest_as_first_version", "cntk padding",
     "Pads a 2-D image as the first version did where the latest is asked for.",
     "microsoft/CNTK: its versions",
     form({.problem =
               [](Problem& problem) {
                 const bool flat = problem.operation() == Operation::kCntkConvolution2d;
                 if (flat && problem.reading == Reading::kImplemented) {
                   problem.reading = Reading::kFirstVersion;
                 }
               }})},
    {"cntk_stride_of_width", "cntk window", "Strides the height as the width.", "a common slip",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 if (nest.g.rank > 2) nest.g.axes[1].stride = nest.g.axes[0].stride;
               }})},
    {"cntk_channels_not_slid_over", "cntk window",
     "Takes the last axis for channels under one window, although several fit.", "a common slip",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 const std::size_t last = nest.g.rank - 1;
                 if (last < 2) return;
                 tap.x[last] = tap.k[last] - nest.g.axes[last].lower;
                 see(nest, tap);
               }})},
    {"cntk_kernel_flipped", "cntk kernel",
     "Convolves instead of cross-correlating: the kernel is mirrored.", "a common slip",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 for (std::size_t axis = 0; axis < 2; ++axis) {
                   tap.w_k[axis] = nest.g.axes[axis].kernel - 1 - tap.k[axis];
                 }
               }})},
    {"cntk_fifth_axis_unstrided", "cntk window",
     "Strides four axes alone: along the others windows move by one cell.", "a common slip",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 for (std::size_t axis = 4; axis < nest.g.rank; ++axis) {
                   const auto& a = nest.g.axes[axis];
                   tap.x[axis] -= tap.at.position[axis] * (a.stride - 1);
                 }
                 see(nest, tap);
               }})},
    {"cntk_fourth_and_fifth_axis_swapped", "cntk kernel",
     "Swaps the fourth and the fifth axis of a kernel that is as long on both.", "a common slip",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 const auto& axes = nest.g.axes;
                 if (axes[3].kernel == axes[4].kernel) std::swap(tap.w_k[3], tap.w_k[4]);
               }})},
    {"cntk_kernel_transposed", "cntk kernel", "Swaps width and height of a square kernel.",
     "openvinotoolkit/openvino PR#9518",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 const auto& axes = nest.g.axes;
                 if (axes[0].kernel != axes[1].kernel) return;
                 std::swap(tap.w_k[0], tap.w_k[1]);
               }})},
    {"cntk_square_image_row_major", "cntk layout",
     "Reads an image row by row instead of column by column where it is square.", "a common slip",
     cntk({.nest =
               [](const Problem&, CntkNest& nest) {
                 if (nest.g.rank < 3) return;
                 if (nest.g.axes[0].input != nest.g.axes[1].input) return;
                 std::swap(nest.src[0], nest.src[1]);
               }})},
    {"cntk_weights_column_major", "cntk layout",
     "Reads the weights as a matrix with its first axis fastest: runs interleave.",
     "microsoft/CNTK: its two engines",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 if (is_hwc(problem)) return;
                 for (Extent& stride : nest.weights) stride *= nest.g.kernel_count;
                 nest.weights[kBehind] = 1;
               }})},
    {"cntk_hwc_weights_by_the_run", "cntk layout",
     "Reads HWC weights as cudnn's: every run contiguous.", "microsoft/CNTK: its two engines",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 if (!is_hwc(problem)) return;
                 for (Extent& stride : nest.weights) stride /= nest.g.kernel_count;
                 nest.weights[kBehind] = nest.g.kernel_size;
               }})},
    {"cntk_hwc_width_before_height", "cntk layout",
     "Reads an HWC image column by column as documented, not row by row as the system does.",
     "microsoft/CNTK: its document against its engine",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 if (!is_hwc(problem) || problem.reading == Reading::kDocumented) {
                   return;
                 }
                 const Extent channels = nest.g.axes[2].input;
                 nest.src[0] = channels;
                 nest.src[1] = channels * nest.g.axes[0].input;
               }})},
    {"cntk_hwc_taken_for_cudnn", "cntk layout",
     "Ignores imageLayout: reads every image with its width fastest.", "a common slip",
     cntk({.nest =
               [](const Problem& problem, CntkNest& nest) {
                 if (!is_hwc(problem)) return;
                 const auto& axes = nest.g.axes;
                 nest.src[0] = 1;
                 nest.src[1] = axes[0].input;
                 nest.src[2] = axes[0].input * axes[1].input;
               }})},
    {"cntk_last_channel_left_out", "cntk channels",
     "Sums channels by twos and leaves out the last of an odd number.", "openxla/xla#49123",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 if (nest.g.rank < 3) return;
                 const std::size_t last = nest.g.rank - 1;
                 if (tap.k[last] >= nest.g.axes[last].kernel / 2 * 2) {
                   tap.counts = false;
                 }
               }})},
    {"cntk_last_sub_batch_left_out", "cntk memory",
     "Computes whole parts of maxTempMemSizeInSamples only: the samples left over stay zero.",
     "ROCm/rocm-libraries PR#4611",
     cntk({.tap =
               [](const CntkNest& nest, CntkTap& tap) {
                 const Extent part = std::max<Extent>(nest.g.sub_batch, 1);
                 const Extent whole = nest.g.samples / part * part;
                 if (tap.at.sample >= whole) tap.counts = false;
               }})},
    {"cntk_sub_batch_begins_anew", "cntk memory",
     "Reads the first samples again for each part of maxTempMemSizeInSamples.", "a common slip",
     cntk({.place =
               [](const CntkNest& nest, CntkPlace& place) {
                 if (nest.g.sub_batch > 0) place.sample %= nest.g.sub_batch;
               }})},
    {"cntk_first_sample_only", "cntk memory", "Computes the first sample for all of them.",
     "a common slip", cntk({.place = [](const CntkNest&, CntkPlace& place) { place.sample = 0; }})},
    {"cntk_zero_weights_skipped", "cntk special",
     "Skips weights that are zero, and so their products with NaN and infinity.", "a common slip",
     cntk({.product = [](double x, double w) { return w == 0 ? 0 : x * w; }})},
    {"cntk_nan_swallowed", "cntk special", "Gives zero where NaN should come out.",
     "tensorflow/tensorflow#63391",
     cntk({.outputs =
               [](CntkRun& run) {
                 for (double& value : run.dst) value = std::isnan(value) ? 0 : value;
               }})},
    {"cntk_infinity_read_as_largest", "cntk special",
     "Reads infinity as the largest finite number.", "a common slip",
     cntk({.inputs =
               [](CntkRun& run) {
                 const double largest = format_of(run.problem.dtype).largest();
                 for (double& x : run.src) {
                   if (std::isinf(x)) x = std::copysign(largest, x);
                 }
               }})},
    {"cntk_image_layout_ignored", "cntk layout",
     "The N-D form computes an imageLayout of HWC, which it does not have, as cudnn.",
     "microsoft/CNTK: its Python layers have no such argument",
     form({.problem =
               [](Problem& problem) {
                 auto* a = std::get_if<CntkConvolutionAttributes>(&problem.attributes);
                 if (a != nullptr) a->image_layout = CntkLayout::kCudnn;
               }})},
};

}  // namespace

std::span<const Bug> cntk_layout_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
