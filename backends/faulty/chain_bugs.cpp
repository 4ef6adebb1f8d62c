// SPDX-License-Identifier: Apache-2.0
// Bugs of the chain of atrous convolutions.
#include <algorithm>

#include "backends/faulty/catalogue.h"
#include "spec/rounding.h"

namespace concord::backends::faulty {
namespace {

const Bug kBugs[] = {
    {"chain_tail_not_zeroed", "chain padding",
     "A chain does not zero the padding of the phases between its layers, as its document has it.",
     "the document of tf.nn.atrous_conv2d, advanced usage",
     chain({.keeps = [](const ChainGeometry&, Extent, Extent) { return true; }})},
    {"chain_tail_of_columns_not_zeroed", "chain padding",
     "A chain zeroes the padding of the phases below the image between its layers, and leaves that "
     "on its right.",
     "a common slip",
     chain({.keeps = [](const ChainGeometry& g, Extent row, Extent) { return row < g.height; }})},
    {"chain_printed_tail_zeroed", "chain padding",
     "A chain zeroes the padding of the phases between its layers where the printed one is asked.",
     "another choice",
     chain({.keeps = [](const ChainGeometry&, Extent, Extent) { return false; }})},
    {"chain_filters_in_reverse_order", "chain layers",
     "A chain begins with the filters of its last layer.", "a common slip",
     chain({.filters = [](const ChainGeometry& g, Extent layer) { return g.layers - 1 - layer; }})},
    {"chain_first_filters_for_all", "chain layers",
     "Every layer of a chain has the filters of the first one.", "a common slip",
     chain({.filters = [](const ChainGeometry&, Extent) { return Extent{0}; }})},
    {"chain_last_layer_left_out", "chain layers",
     "A chain of more than one layer leaves the last one out.", "a common slip",
     chain({.geometry = [](ChainGeometry& g) { g.layers = std::max<Extent>(1, g.layers - 1); }})},
    {"chain_later_layers_dense", "chain rate",
     "Only the first layer of a chain has its rate; the others are dense.", "a common slip",
     chain({.rate = [](const ChainGeometry& g, Extent layer) { return layer == 0 ? g.rate : 1; }})},
    {"chain_relu_between", "chain layers", "A chain has a ReLU between its layers, as nets do.",
     "a common slip",
     chain({.between =
                [](std::vector<double>& net) {
                  for (double& value : net) value = std::max(value, 0.0);
                }})},
    {"chain_bf16_between", "chain arithmetic",
     "A chain stores what its layers hand on as bf16, whatever the dtype.", "a common slip",
     chain({.between =
                [](std::vector<double>& net) {
                  for (double& value : net) value = round_to(Dtype::kBF16, value);
                }})},
};

}  // namespace

std::span<const Bug> chain_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
