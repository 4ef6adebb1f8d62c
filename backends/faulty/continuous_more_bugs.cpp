// SPDX-License-Identifier: Apache-2.0
// Bugs of the continuous layer at scales that are doubles, of the nets that are asked otherwise, of
// the gradients by the grid and by W, and of chains of layers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>
#include <variant>
#include <vector>

#include "backends/faulty/catalogue.h"
#include "spec/grid.h"

namespace concord::backends::faulty {
namespace {

using Values = std::vector<double>;

bool is_grid_gradient(const Problem& problem) {
  return problem.operation() == Operation::kContinuousBackwardGrid;
}
bool is_kernel_gradient(const Problem& problem) {
  return problem.operation() == Operation::kContinuousBackwardKernel;
}

// The gradient by the grid, [2,H',W'], whose first half is the vertical one.
template <class Change>
void change_grid(ContinuousRun& run, Change change) {
  if (!is_grid_gradient(run.problem)) return;
  const auto half = static_cast<std::ptrdiff_t>(run.dst.size() / 2);
  change(run.dst.begin(), run.dst.begin() + half, run.dst.end());
}

// The net with one neuron where a hidden layer has none, if theta has no parameters of that layer.
void widen_empty_layers(Problem& problem) {
  const auto widen = [&problem]<class A>(A& a) {
    if constexpr (std::is_base_of_v<ContinuousAttributes, A>) {
      const auto parameters = [&] { return reference::parameters_of(problem.src.dims[1], a); };
      if (problem.src.rank() != 4 || problem.weights.rank() != 1 ||
          parameters() != problem.weights.dims[0]) {
        return;
      }
      for (Extent& width : a.widths) width = std::max<Extent>(width, 1);
      problem.weights.dims[0] = parameters().value_or(0);
    }
  };
  std::visit(widen, problem.attributes);
}

// What the net is asked at for output (i, j).
template <KernelFunction kFunction, class Change>
void change_offsets(ContinuousRun& run, Change change) {
  if (run.g.function != kFunction) return;
  const Extent H = run.g.vertical.out, W = run.g.horizontal.out;
  const Grid<4> grid{{1, 2, H, W}};
  for (const auto [i, j] : Grid<2>{{H, W}}) {
    double& v = run.distances[grid.offset({0, 0, i, j})];
    double& h = run.distances[grid.offset({0, 1, i, j})];
    v = change(run.g.vertical, i, v);
    h = change(run.g.horizontal, j, h);
  }
}

// The sizes after each layer, each that of its scale times the one before.
void round_each_layer(ContinuousChainGeometry& chain) {
  const auto round = [](ContinuousAxis& axis, Extent in) {
    axis.in = in;
    axis.out = (axis.scale * Rational(in)).ceil();
  };
  Extent rows = chain.layers.front().vertical.in, columns = chain.layers.front().horizontal.in;
  for (ContinuousGeometry& layer : chain.layers) {
    round(layer.vertical, rows);
    round(layer.horizontal, columns);
    rows = layer.vertical.out;
    columns = layer.horizontal.out;
  }
}

const ContinuousChainAttributes* chain_of(const Problem& problem) {
  return std::get_if<ContinuousChainAttributes>(&problem.attributes);
}

constexpr FormHooks kRoundedEachLayer{.answer =
                                          [](const Problem& problem, Answer& answer) {
                                            const auto resolution = reference::resolve(problem);
                                            if (chain_of(problem) == nullptr || !resolution) return;
                                            auto chain =
                                                std::get<ContinuousChainGeometry>(resolution->form);
                                            round_each_layer(chain);
                                            answer.dst_dims = chain.dst();
                                          },
                                      .continuous = {.chain = round_each_layer}};

const Bug kBugs[] = {
    {"cc_size_in_f64", "cc size", "Computes the output's size in f64 and rounds that up.",
     "the layer's own appendix: a product of doubles above 8",
     form({.problem =
               [](Problem& problem) {
                 auto* a = std::get_if<ContinuousAttributes>(&problem.attributes);
                 if (a == nullptr || !a->size.empty() || problem.src.rank() != 4) return;
                 if (a->scale_h <= Rational(0) || a->scale_w <= Rational(0)) return;
                 const auto size = [&](const Rational& scale, std::size_t axis) {
                   const auto in = static_cast<double>(problem.src.dims[axis]);
                   return static_cast<Extent>(std::ceil(scale.to_double() * in));
                 };
                 a->size = {size(a->scale_h, 2), size(a->scale_w, 3)};
               }})},
    {"cc_nearest_is_right_of_two", "cc kernel",
     "Of two pixels that are equally close, asks the net for the distance of the right one.",
     "a common slip",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       change_offsets<KernelFunction::kNetKNearest>(
                           run, [](const ContinuousAxis&, Extent, double d) {
                             return d == 0.5 ? -0.5 : d;
                           });
                     }})},
    {"cc_nearest_is_first", "cc kernel",
     "Asks the net for the first neighbour's distance where the closest pixel's is asked for.",
     "the paper's words taken otherwise",
     continuous(
         {.distances =
              [](ContinuousRun& run) {
                change_offsets<KernelFunction::kNetKNearest>(
                    run, [](const ContinuousAxis& axis, Extent n, double) {
                      return reference::net_input(KernelFunction::kNetK, axis, n).to_double();
                    });
              }})},
    {"cc_grid_repeats", "cc kernel",
     "Uses the weights of the first period again where the net is asked for the grid itself.",
     "the paper: the grid is periodic",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       change_offsets<KernelFunction::kNetKGrid>(
                           run, [](const ContinuousAxis& axis, Extent n, double) {
                             const Extent first = n % axis.scale.numerator();
                             return reference::grid_point(axis, first).to_double();
                           });
                     }})},
    {"cc_grid_gradient_axes_swapped", "cc grid gradient",
     "The gradient by the grid has the horizontal coordinates first.", "a common slip",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       change_grid(run, [](auto begin, auto middle, auto end) {
                         std::rotate(begin, middle, end);
                       });
                     }})},
    {"cc_grid_gradient_sign", "cc grid gradient",
     "The gradient by the grid is that by the pixels' places, of the other sign.", "a common slip",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       change_grid(run, [](auto begin, auto, auto end) {
                         std::transform(begin, end, begin, std::negate<>());
                       });
                     }})},
    {"cc_grid_gradient_of_first_neighbour", "cc grid gradient",
     "The gradient by the grid counts the first neighbour of each output alone.", "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (is_grid_gradient(run.problem) && tap.k > 0) tap.counts = false;
                     }})},
    {"cc_grid_gradient_dead_neurons", "cc grid gradient",
     "The gradient by the grid passes nothing through a neuron below zero.", "a common slip",
     continuous({.geometry =
                     [](const Problem& problem, ContinuousGeometry& g) {
                       if (is_grid_gradient(problem)) g.net.slope = 0;
                     }})},
    {"cc_weights_gradient_first_image_only", "cc weights gradient",
     "The gradient by the weights of each output counts the first image only.", "a common slip",
     continuous({.tap =
                     [](const ContinuousRun& run, NearTap& tap) {
                       if (is_kernel_gradient(run.problem) && tap.b > 0) tap.counts = false;
                     }})},
    {"cc_weights_gradient_channels_swapped", "cc weights gradient",
     "The gradient by the weights of each output has input channels before output channels.",
     "a common slip",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       if (!is_kernel_gradient(run.problem)) return;
                       const auto Cout = static_cast<std::size_t>(run.g.Cout);
                       const auto Cin = static_cast<std::size_t>(run.g.Cin);
                       if (Cout * Cin == 0) return;
                       const std::size_t each = run.dst.size() / (Cout * Cin);
                       const Values right = run.dst;
                       for (std::size_t place = 0; place < right.size(); ++place) {
                         const std::size_t pair = place / each;
                         const std::size_t other = pair % Cin * Cout + pair / Cin;
                         run.dst[other * each + place % each] = right[place];
                       }
                     }})},
    {"cc_weights_gradient_phase_sums", "cc weights gradient",
     "The gradient by the weights of each output is that by the weights of its column's phase: the "
     "sum over the outputs that share them.",
     "the paper's implementation by discrete convolutions",
     continuous({.outputs =
                     [](ContinuousRun& run) {
                       if (!is_kernel_gradient(run.problem)) return;
                       const Extent k = run.g.horizontal.scale.numerator();
                       const Extent W = run.g.horizontal.out;
                       const Values right = run.dst;
                       for (std::size_t place = 0; place < right.size(); ++place) {
                         const Extent column = static_cast<Extent>(place) % W;
                         double sum = 0;
                         for (Extent j = column % k; j < W; j += k) {
                           sum += right[place - static_cast<std::size_t>(column) +
                                        static_cast<std::size_t>(j)];
                         }
                         run.dst[place] = sum;
                       }
                     }})},
    {"cc_width_of_zero_served", "cc shape",
     "Serves a net with a hidden layer of no width, whose parameters are those of the other one.",
     "a common slip", form({.problem = widen_empty_layers})},
    {"cc_chain_sizes_layer_by_layer", "cc chain",
     "Rounds the size of each layer of a chain up from the size before it.",
     "the paper's table of sizes against ceil(s * in)", form(kRoundedEachLayer)},
    {"cc_chain_first_theta_for_all", "cc chain",
     "Every layer of a chain has the first one's theta.", "a common slip",
     continuous(
         {.theta_of = [](const ContinuousChainGeometry&, std::size_t) { return std::size_t{0}; }})},
    {"cc_chain_last_layer_first", "cc chain",
     "Takes the theta of a chain's layers in reverse order.", "a common slip",
     continuous({.theta_of = [](const ContinuousChainGeometry& chain,
                                std::size_t layer) { return chain.layers.size() - 1 - layer; }})},
    {"cc_chain_relu_between", "cc chain", "A chain has a ReLU between its layers, as nets do.",
     "a common slip",
     continuous({.between =
                     [](Values& net) {
                       for (double& value : net) value = std::max(value, 0.0);
                     }})},
    {"cc_chain_scales_of_height", "cc chain",
     "Projects the columns of a chain's layers by the scale of the height.", "a common slip",
     continuous({.chain =
                     [](ContinuousChainGeometry& chain) {
                       for (ContinuousGeometry& layer : chain.layers) {
                         layer.horizontal.scale = layer.vertical.scale;
                       }
                     }})},
};

}  // namespace

std::span<const Bug> continuous_more_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
