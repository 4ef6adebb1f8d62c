// SPDX-License-Identifier: Apache-2.0
// Properties of every continuous layer. As in properties.h, each takes the evaluator under
// test.
#ifndef CONCORD_FUZZ_CONTINUOUS_PROPERTIES_H_
#define CONCORD_FUZZ_CONTINUOUS_PROPERTIES_H_

#include <functional>

#include "fuzz/continuous_runs.h"

namespace concord::fuzz {

/// The values of dst, [N,Cout,H',W'] dense, of a layer.
using LayerEvaluator = std::function<std::vector<double>(const Layer&)>;

/// Does it hold for a layer made of `layer`, which is draw_exact_layer()'s? Exact, no tolerance.
using LayerProperty = bool (*)(const Layer& layer, const LayerEvaluator& evaluate);

/// At scale 1/k: a convolution of stride k, padded by floor((K - extra) / 2), extra = (in - 1) mod
/// k, whose tap j weighs K_theta(d - j): with d = (K - 1) / 2 if K and extra differ in parity, no
/// neighbour then being on the border of the support, else with d = K / 2.
bool strides_at_one_over_k(const Layer& layer, const LayerEvaluator& evaluate);
/// At scale 1 and odd K: a convolution with SAME padding.
bool is_same_at_scale_one(const Layer& layer, const LayerEvaluator& evaluate);
/// At scale k/l a constant image, repeated outside, has outputs that repeat after k.
bool repeats_with_the_numerator(const Layer& layer, const LayerEvaluator& evaluate);
/// The grid is symmetric: a mirrored image and kernel have mirrored outputs, where ties are, too.
bool mirrors(const Layer& layer, const LayerEvaluator& evaluate);
/// An image moved by l in zeros has outputs moved by k.
bool shifts(const Layer& layer, const LayerEvaluator& evaluate);
/// One theta at every scale: at three times the scale and size every third output lies where those
/// of the layer lie, and is the same.
bool samples_one_function(const Layer& layer, const LayerEvaluator& evaluate);
/// A constant kernel sums the pixels within the support.
bool sums_boxes(const Layer& layer, const LayerEvaluator& evaluate);
/// Keys' cubic interpolates: a constant image stays so at every scale.
bool keeps_constants(const Layer& layer, const LayerEvaluator& evaluate);
/// The efficient variant's net, if it ignores the offset, is a filter [Cout,Cin,K].
bool orders_places(const Layer& layer, const LayerEvaluator& evaluate);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_CONTINUOUS_PROPERTIES_H_
