// SPDX-License-Identifier: Apache-2.0
// The backend's plain convolution of [N,Cin,H,W] and [Cout,Cin,K,K], and its gradients.
#ifndef CONCORD_EXPERIMENTS_CONVOLUTION_H_
#define CONCORD_EXPERIMENTS_CONVOLUTION_H_

#include "experiments/layer.h"

namespace concord::experiments {

/// How the filters move: the stride and the zeros at each edge.
struct Steps {
  Extent stride = 1, pad = 1;
};

Values convolve(Backend& backend, const Values& src, const Values& weights, const Steps& steps);

/// Gradients are convolutions, too: by the input, of stride 1 with the filters turned round; by the
/// filters, with batch and channels exchanged.
/// Shapes  src as convolve()'s input, delta as its output
Values convolution_by_input(Backend& backend, const Values& src, const Values& weights,
                            const Values& delta, const Steps& steps);
Values convolution_by_weights(Backend& backend, const Values& src, const Values& weights,
                              const Values& delta, const Steps& steps);

/// PyTorch's initialisation: uniform within 1/sqrt(Cin K K).
/// Shapes  dims [Cout,Cin,K,K]
Values initial_weights(const Extents& dims, Random& random);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_CONVOLUTION_H_
