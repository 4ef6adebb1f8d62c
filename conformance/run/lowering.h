// SPDX-License-Identifier: Apache-2.0
// Lowering: a problem of another operation as the Convolution that computes it, for backends that
// have only that. docs/results.md#judged-lowered
#ifndef CONCORD_CONFORMANCE_RUN_LOWERING_H_
#define CONCORD_CONFORMANCE_RUN_LOWERING_H_

#include <optional>

#include "reference/reference.h"
#include "spec/problem.h"

namespace concord::conformance {

/// A Convolution on the bytes of another operation's tensors: each of its tensors is a view of one
/// of theirs, with axes named otherwise, and no byte moves.
struct Lowered {
  /// With explicit pads. dst is stated only where the user stated one, or where the view is not
  /// dense, so that a backend that knows no strides can decline.
  Problem problem{};
  Tensor dst{};  ///< complete, with strides

  /// As prepare sees it.
  Problem complete() const;
};

/// Lowers `problem`, whose geometry is `resolution`. Sizes and pads are those that the reference
/// found.
///
///   Convolution1         the same tensors, of at most three spatial axes
///   AtrousConv2d         the same tensors, dilations = rate
///   CntkConvolution,     all weights shared, maps on one axis at most, no window that begins
///   CntkConvolution2d    within the input, and one to three axes that windows slide along. A last
///                        axis that the kernel takes whole becomes the channels, else there is one
///
/// Nothing for any other problem: not every one is a Convolution, and some are one only with
/// weights that are no view of theirs.
std::optional<Lowered> lower(const Problem& problem, const reference::Resolution& resolution);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_LOWERING_H_
