// SPDX-License-Identifier: Apache-2.0
// Bugs of the gradients of CNTK's N-D convolution.
#include <algorithm>
#include <type_traits>
#include <variant>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

using reference::CntkAxis;

// One kernel, that of the first position, where each position has its own.
template <bool kOfWeights>
void share_first(const CntkRun& run, CntkPlace& place) {
  if (run.by_weights != kOfWeights) return;
  CntkPlace first = place;
  first.position.fill(0);
  place.run = run_of(run.nest.g, first);
}

// The input cell of a tap whose window begins where `first` says.
template <class First>
void move_window(const CntkRun& run, CntkTap& tap, First first) {
  tap.counts = true;
  for (std::size_t axis = 0; axis < tap.x.size(); ++axis) {
    const CntkAxis& a = run.nest.g.axes[axis];
    tap.x[axis] = first(a, tap.at.position[axis]) + tap.k[axis];
    tap.counts = tap.counts && tap.x[axis] >= 0 && tap.x[axis] < a.input;
  }
}

template <bool kOfWeights>
void forget_stride(const CntkRun& run, CntkTap& tap) {
  if (run.by_weights != kOfWeights) return;
  move_window(run, tap, [](const CntkAxis& a, Extent p) { return p - a.lower; });
}

template <bool kOfWeights>
void swap_pads(CntkRun& run) {
  if (run.by_weights != kOfWeights) return;
  for (CntkAxis& axis : run.nest.g.axes) std::swap(axis.lower, axis.upper);
}

void drop_negative_pads(Problem& problem) {
  const auto drop = []<class A>(A& a) {
    constexpr bool kIsGradient = std::is_base_of_v<CntkConvolutionAttributes, A> &&
                                 !std::is_same_v<CntkConvolutionAttributes, A>;
    if constexpr (kIsGradient) {
      for (Extent& pad : a.lower_pad) pad = std::max<Extent>(pad, 0);
      for (Extent& pad : a.upper_pad) pad = std::max<Extent>(pad, 0);
    }
  };
  std::visit(drop, problem.attributes);
}

const Bug kBugs[] = {
    {"cntk_gradient_added_to_dst", "cntk gradients", "Adds either gradient to what dst holds.",
     "CNTK's own engines, whose caller asks for it", cntk_gradient({.keeps_dst = true})},
    {"cntk_gradient_maps_in_reverse_order", "cntk gradients",
     "With maps on two axes, counts the kernels of either gradient along the later axis first.",
     "a common slip",
     cntk_gradient({.place =
                        [](const CntkRun& run, CntkPlace& place) {
                          const auto& axes = run.nest.g.axes;
                          if (!std::all_of(axes.begin(), axes.end(),
                                           [](const CntkAxis& axis) { return axis.sharing; })) {
                            return;
                          }
                          place.run = 0;
                          for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                            place.run = place.run * axes[axis].map_count + place.map[axis];
                          }
                        }})},
    {"cntk_gradient_last_samples_left_out", "cntk gradients",
     "With maxTempMemSizeInSamples, leaves out of the gradient by the weights the samples that do "
     "not fill a last part.",
     "a common slip",
     cntk_gradient({.tap =
                        [](const CntkRun& run, CntkTap& tap) {
                          const CntkGeometry& g = run.nest.g;
                          if (!run.by_weights || g.sub_batch == 0) return;
                          const Extent whole = g.samples - g.samples % g.sub_batch;
                          if (tap.at.sample >= whole) tap.counts = false;
                        }})},
    {"cntk_data_gradient_shares", "cntk gradients",
     "The gradient by the input uses the first position's kernel at every position.",
     "a common slip", cntk_gradient({.place = share_first<false>})},
    {"cntk_data_gradient_stride_forgotten", "cntk gradients",
     "The gradient by the input has its windows side by side, whatever the stride.",
     "a common slip", cntk_gradient({.tap = forget_stride<false>})},
    {"cntk_data_gradient_pads_swapped", "cntk gradients",
     "The gradient by the input takes the padding at the end for that at the beginning.",
     "a common slip", cntk_gradient({.nest = swap_pads<false>})},
    {"cntk_data_gradient_kernel_turned", "cntk gradients",
     "The gradient by the input turns the kernel round once too often.",
     "a common slip: a convolution in place of a correlation",
     cntk_gradient({.tap =
                        [](const CntkRun& run, CntkTap& tap) {
                          if (run.by_weights) return;
                          for (std::size_t axis = 0; axis < tap.k.size(); ++axis) {
                            tap.w_k[axis] = run.nest.g.axes[axis].kernel - 1 - tap.k[axis];
                          }
                        }})},
    {"cntk_data_gradient_last_column_left_out", "cntk gradients",
     "The gradient by the input leaves the kernel's last cell along the first axis out.",
     "a common slip",
     cntk_gradient({.tap =
                        [](const CntkRun& run, CntkTap& tap) {
                          const Extent width = run.nest.g.axes[0].kernel;
                          if (!run.by_weights && width > 1 && tap.k[0] == width - 1) {
                            tap.counts = false;
                          }
                        }})},
    {"cntk_data_gradient_overwritten", "cntk gradients",
     "Where windows overlap, the last one's product is the gradient by the input, not the sum.",
     "a common slip",
     cntk_gradient(
         {.add = [](const CntkRun& run, double& sum,
                    double product) { sum = run.by_weights ? sum + product : product; }})},
    {"cntk_data_gradient_first_map_only", "cntk gradients",
     "The gradient by the input counts the first map of the last axis alone.", "a common slip",
     cntk_gradient({.tap =
                        [](const CntkRun& run, CntkTap& tap) {
                          const auto& axes = run.nest.g.axes;
                          if (run.by_weights) return;
                          for (std::size_t axis = axes.size(); axis-- > 0;) {
                            if (axes[axis].map_count == 1) continue;
                            tap.counts = tap.counts && tap.at.map[axis] == 0;
                            return;
                          }
                        }})},
    {"cntk_weights_gradient_shares", "cntk gradients",
     "The gradient by weights that are not shared is summed into the first position's kernel.",
     "a common slip", cntk_gradient({.place = share_first<true>})},
    {"cntk_weights_gradient_stride_forgotten", "cntk gradients",
     "The gradient by the weights has its windows side by side, whatever the stride.",
     "a common slip", cntk_gradient({.tap = forget_stride<true>})},
    {"cntk_weights_gradient_pads_swapped", "cntk gradients",
     "The gradient by the weights takes the padding at the end for that at the beginning.",
     "a common slip", cntk_gradient({.nest = swap_pads<true>})},
    {"cntk_weights_gradient_last_window_left_out", "cntk gradients",
     "The gradient by the weights leaves the last window out that reaches beyond the input.",
     "a common slip",
     cntk_gradient({.tap =
                        [](const CntkRun& run, CntkTap& tap) {
                          if (!run.by_weights) return;
                          for (std::size_t axis = 0; axis < tap.k.size(); ++axis) {
                            const CntkAxis& a = run.nest.g.axes[axis];
                            const Extent p = tap.at.position[axis];
                            const bool reaches = p * a.stride - a.lower + a.kernel > a.input;
                            if (reaches && p > 0 && p == a.positions - 1) tap.counts = false;
                          }
                        }})},
    {"cntk_weights_gradient_first_sample_only", "cntk gradients",
     "The gradient by the weights is that of the first sample.", "a common slip",
     cntk_gradient({.tap =
                        [](const CntkRun& run, CntkTap& tap) {
                          if (run.by_weights && tap.at.sample > 0) tap.counts = false;
                        }})},
    {"cntk_weights_gradient_mean", "cntk gradients",
     "The gradient by the weights is the samples' mean, not their sum.",
     "a common slip: frameworks differ in where they divide",
     cntk_gradient({.outputs =
                        [](CntkRun& run) {
                          if (!run.by_weights || run.nest.g.samples == 0) return;
                          const auto samples = static_cast<double>(run.nest.g.samples);
                          for (double& value : run.dst) value /= samples;
                        }})},
    {"cntk_weights_gradient_transposed", "cntk gradients",
     "The gradient by the weights has cells before kernels.", "a common slip",
     cntk_gradient({.outputs =
                        [](CntkRun& run) {
                          if (!run.by_weights) return;
                          const auto kernels = static_cast<std::size_t>(run.nest.g.kernel_count);
                          const auto cells = static_cast<std::size_t>(run.nest.g.kernel_size);
                          const std::vector<double> right = run.dst;
                          for (std::size_t place = 0; place < right.size(); ++place) {
                            run.dst[place % cells * kernels + place / cells] = right[place];
                          }
                        }})},
    {"cntk_gradient_negative_pads_served", "cntk gradients",
     "Takes negative pads of either gradient for zero instead of refusing them, where diff_dst "
     "suits.",
     "a common slip", form({.problem = drop_negative_pads})},
};

}  // namespace

std::span<const Bug> cntk_gradient_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
