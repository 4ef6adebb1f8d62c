// SPDX-License-Identifier: Apache-2.0
// Bugs of the continuous layer's kernel and of its phases.
#include <algorithm>
#include <cmath>

#include "backends/faulty/catalogue.h"
#include "reference/continuous_kernel.h"
#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

// The distances of each output, and what is not a neighbour's 0, changed by `change`.
template <class Change>
void change_distances(ContinuousRun& run, Change change) {
  const Extent H = run.g.vertical.out, W = run.g.horizontal.out;
  const Grid<4> grid{{run.g.inputs(), 2, H, W}};
  for (const auto [k, i, j] : Grid<3>{{run.g.inputs(), H, W}}) {
    change(run.distances[grid.offset({k, 0, i, j})], run.distances[grid.offset({k, 1, i, j})]);
  }
}

// Weights [co,ci,k,i,j] taken from the place that `from` names.
template <class From>
void take_weights(ContinuousRun& run, From from) {
  const Grid<5> grid = reference::weights_grid(run.g);
  const std::vector<double> right = run.weights;
  for (const auto& at :
       Grid<5>{{run.g.Cout, run.g.Cin, run.g.slots(), run.g.vertical.out, run.g.horizontal.out}}) {
    run.weights[grid.offset(at)] = right[grid.offset(from(at))];
  }
}

// The offset in theta of the biases of the net's last layer.
std::size_t last_biases(const ContinuousRun& run) {
  return run.theta.size() - static_cast<std::size_t>(run.g.net.C_final);
}

bool is_net(const ContinuousRun& run) { return run.g.function != KernelFunction::kKeys; }

bool is_theta_gradient(const ContinuousRun& run) {
  return run.problem.operation() == Operation::kContinuousBackwardWeights;
}

// Keys' cubic with a = -3/4.
double steep_cubic(double d) {
  const double x = std::fabs(d);
  if (x <= 1) return (1.25 * x - 2.25) * x * x + 1;
  return x < 2 ? -0.75 * (((x - 5) * x + 8) * x - 4) : 0;
}

const Bug kBugs[] = {
    {"cc_distance_sign", "cc kernel", "Asks the kernel for m - g instead of g - m.",
     "a common slip",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       change_distances(run, [](double& v, double& h) {
                         v = -v;
                         h = -h;
                       });
                     }})},
    {"cc_distance_axes_swapped", "cc kernel",
     "Asks the kernel for the horizontal distance before the vertical one.",
     "openvinotoolkit/openvino PR#9518",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       change_distances(run, [](double& v, double& h) { std::swap(v, h); });
                     }})},
    {"cc_distance_stretched", "cc kernel",
     "Measures distances in pixels of the output where the image is reduced.",
     "assafshocher/ResizeRight: its antialiasing",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       const double s = run.g.vertical.scale.to_double();
                       const double t = run.g.horizontal.scale.to_double();
                       change_distances(run, [&](double& v, double& h) {
                         v *= std::min(s, 1.0);
                         h *= std::min(t, 1.0);
                       });
                     }})},
    {"cc_offset_not_fractional", "cc kernel",
     "The efficient variant asks the net for the grid itself instead of the offset from a pixel.",
     "the paper's words taken literally",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       if (run.g.function != KernelFunction::kNetK) return;
                       const Extent H = run.g.vertical.out;
                       const Extent W = run.g.horizontal.out;
                       const Grid<4> grid{{1, 2, H, W}};
                       for (const auto [i, j] : Grid<2>{{H, W}}) {
                         run.distances[grid.offset({0, 0, i, j})] =
                             reference::grid_point(run.g.vertical, i).to_double();
                         run.distances[grid.offset({0, 1, i, j})] =
                             reference::grid_point(run.g.horizontal, j).to_double();
                       }
                     }})},
    {"cc_relu", "cc kernel", "Uses ReLU: drops the slope of the LeakyReLU.",
     "the paper's section 3 against its appendix",
     continuous({.geometry = [](const Problem&, ContinuousGeometry& g) { g.net.slope = 0; }})},
    {"cc_slope_of_its_own", "cc kernel", "Uses a slope of 1/100, whatever is asked.",
     "a common slip",
     continuous({.geometry = [](const Problem&, ContinuousGeometry& g) { g.net.slope = 0.01; }})},
    {"cc_last_bias_dropped", "cc kernel", "Leaves out the biases of the net's last layer.",
     "a common slip",
     continuous({.inputs =
                     [](ContinuousRun& run) {
                       if (!is_net(run)) return;
                       std::fill(run.theta.begin() + static_cast<std::ptrdiff_t>(last_biases(run)),
                                 run.theta.end(), 0.0);
                     }})},
    {"cc_channel_pairs_transposed", "cc kernel",
     "Takes the net's outputs for input channels by output channels.", "a common slip",
     continuous({.inputs =
                     [](ContinuousRun& run) {
                       if (run.g.function != KernelFunction::kNet) return;
                       if (is_theta_gradient(run)) return;
                       const auto Cin = static_cast<std::size_t>(run.g.Cin);
                       const auto Cout = static_cast<std::size_t>(run.g.Cout);
                       const auto w2 = static_cast<std::size_t>(run.g.net.w2);
                       const std::vector<double> right = run.theta;
                       const std::size_t b3 = last_biases(run);
                       const std::size_t A3 = b3 - Cin * Cout * w2;
                       for (std::size_t p = 0; p < Cin * Cout; ++p) {
                         const std::size_t q = p % Cin * Cout + p / Cin;
                         run.theta[b3 + p] = right[b3 + q];
                         for (std::size_t c = 0; c < w2; ++c) {
                           run.theta[A3 + p * w2 + c] = right[A3 + q * w2 + c];
                         }
                       }
                     }})},
    {"cc_offsets_weights_transposed", "cc kernel",
     "The efficient variant gives the weights of neighbours in the order of columns.",
     "a common slip",
     continuous({.weights =
                     [](ContinuousRun& run) {
                       if (run.g.function != KernelFunction::kNetK) return;
                       const Extent rows = run.g.vertical.slots();
                       const Extent columns = run.g.horizontal.slots();
                       take_weights(run, [&](Grid<5>::Index at) {
                         at[2] = at[2] % columns * rows + at[2] / columns;
                         return at;
                       });
                     }})},
    {"cc_keys_steeper",
     "cc kernel",
     "Uses the cubic of Keys with a = -3/4 instead of -1/2.",
     "opencv/opencv: its bicubic interpolation",
     {.forms =
          {.continuous = {.weights =
                              [](ContinuousRun& run) {
                                if (is_net(run)) return;
                                const Grid<5> grid = reference::weights_grid(run.g);
                                const Extent C = std::min(run.g.Cout, run.g.Cin);
                                const Extent H = run.g.vertical.out;
                                const Extent W = run.g.horizontal.out;
                                for (const auto [c, k, i, j] : Grid<4>{{C, run.g.slots(), H, W}}) {
                                  const Distance d =
                                      reference::distance_at(run.g, run.distances, k, i, j);
                                  run.weights[grid.offset({c, c, k, i, j})] =
                                      steep_cubic(d[0]) * steep_cubic(d[1]);
                                }
                              }}}}},
    {"cc_first_phase_for_all", "cc phases",
     "Uses the weights of the first output for every output.",
     "the paper's words on integer scales",
     continuous({.weights =
                     [](ContinuousRun& run) {
                       take_weights(run, [](Grid<5>::Index at) {
                         at[3] = at[4] = 0;
                         return at;
                       });
                     }})},
    {"cc_phase_off_by_one", "cc phases", "Uses the weights of the column's next phase.",
     "a common slip",
     continuous({.weights =
                     [](ContinuousRun& run) {
                       const Extent k = run.g.horizontal.scale.numerator();
                       const Extent out = run.g.horizontal.out;
                       take_weights(run, [&](Grid<5>::Index at) {
                         const Extent next = (at[4] + 1) % std::max<Extent>(k, 1);
                         at[4] = std::min(next, out - 1);
                         return at;
                       });
                     }})},
    {"cc_column_phase_of_row", "cc phases",
     "Uses as many phases as a row has for both axes: the column's phase is the row's.",
     "the paper's count of filters",
     continuous({.weights =
                     [](ContinuousRun& run) {
                       const Extent k = run.g.horizontal.scale.numerator();
                       const Extent out = run.g.horizontal.out;
                       take_weights(run, [&](Grid<5>::Index at) {
                         at[4] = std::min(at[3] % std::max<Extent>(k, 1), out - 1);
                         return at;
                       });
                     }})},
    {"cc_first_image_only", "cc batch", "Reads the first image for all of them.", "a common slip",
     continuous({.tap = [](const ContinuousRun&, NearTap& tap) { tap.b = 0; }})},
    {"cc_nan_swallowed", "cc special", "Gives zero where NaN should come out.",
     "tensorflow/tensorflow#63391",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       for (double& value : run.dst) {
                         value = std::isnan(value) ? 0 : value;
                       }
                     }})},
};

}  // namespace

std::span<const Bug> continuous_kernel_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
