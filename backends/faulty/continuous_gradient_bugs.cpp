// SPDX-License-Identifier: Apache-2.0
// Bugs of the continuous layer's gradients.
#include <algorithm>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// The offsets in theta of the biases of the net's first and last layers.
std::size_t first_biases(const reference::InternalNet& net) {
  return static_cast<std::size_t>(2 * net.w1);
}
std::size_t last_biases(const ContinuousRun& run) {
  return run.theta.size() - static_cast<std::size_t>(run.g.net.C_final);
}

bool is_theta_gradient(const ContinuousRun& run) {
  return run.problem.operation() == Operation::kContinuousBackwardWeights;
}
bool is_data_gradient(const ContinuousRun& run) {
  return run.problem.operation() == Operation::kContinuousBackwardData;
}

const Bug kBugs[] = {
    {"cc_data_phase_left_out", "cc gradients",
     "The gradient by src leaves out the last phase of each row.", "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       const Extent k = run.g.horizontal.scale.numerator();
                       if (!is_data_gradient(run) || k < 2) return;
                       if (tap.j % k == k - 1) tap.counts = false;
                     }})},
    {"cc_data_overwritten", "cc gradients",
     "The gradient by src is the last output's share instead of the sum of all shares.",
     "pytorch/pytorch#34344", continuous({.gradient_overwrites = true})},
    {"cc_data_boundary_dropped", "cc gradients",
     "The gradient by src leaves out what replicated or mirrored pixels contribute.",
     "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (!is_data_gradient(run)) return;
                       const Extent columns = run.g.horizontal.slots();
                       const auto i = static_cast<std::size_t>(tap.i);
                       const auto j = static_cast<std::size_t>(tap.j);
                       const auto row = static_cast<std::size_t>(tap.k / columns);
                       const auto column = static_cast<std::size_t>(tap.k % columns);
                       if (run.rows[i][row].m != tap.row ||
                           run.columns[j][column].m != tap.column) {
                         tap.counts = false;
                       }
                     }})},
    {"cc_data_last_channel_left_out", "cc gradients",
     "The gradient by src sums output channels by twos and leaves out the last of an odd number.",
     "openxla/xla#49123",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (!is_data_gradient(run)) return;
                       if (tap.co >= run.g.Cout / 2 * 2) tap.counts = false;
                     }})},
    {"cc_theta_last_biases_missing", "cc gradients",
     "The gradient by theta has zeros for the last layer's biases.", "a common slip",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       if (!is_theta_gradient(run)) return;
                       std::fill(run.dst.begin() + static_cast<std::ptrdiff_t>(last_biases(run)),
                                 run.dst.end(), 0.0);
                     }})},
    {"cc_theta_first_biases_missing", "cc gradients",
     "The gradient by theta has zeros for the first layer's biases.", "a common slip",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       if (!is_theta_gradient(run)) return;
                       const auto begin =
                           run.dst.begin() + static_cast<std::ptrdiff_t>(first_biases(run.g.net));
                       std::fill(begin, begin + run.g.net.w1, 0.0);
                     }})},
    {"cc_theta_dead_neurons", "cc gradients",
     "The gradient by theta passes nothing through a neuron below zero.", "a common slip",
     continuous({.net = [](reference::InternalNet& net) { net.slope = 0; }})},
    {"cc_theta_first_image_only", "cc gradients",
     "The gradient by theta counts the first image only.", "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (is_theta_gradient(run) && tap.b > 0) tap.counts = false;
                     }})},
    {"cc_theta_mean", "cc gradients",
     "The gradient by theta is the mean over the images instead of their sum.", "a common slip",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       if (!is_theta_gradient(run) || run.g.N < 1) return;
                       for (double& value : run.dst) {
                         value /= static_cast<double>(run.g.N);
                       }
                     }})},
    {"cc_theta_last_row_left_out", "cc gradients",
     "The gradient by theta leaves out the last row of outputs.", "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (!is_theta_gradient(run)) return;
                       if (tap.i + 1 == run.g.vertical.out) tap.counts = false;
                     }})},
};

}  // namespace

std::span<const Bug> continuous_gradient_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
