// SPDX-License-Identifier: Apache-2.0
// A sequence of atrous_conv2d inside one space_to_batch and batch_to_space, which the operation's
// document calls equivalent to the sequence: docs/spec.md#the-other-two-ways-and-the-chain.
#ifndef CONCORD_REFERENCE_TF_ATROUS_CHAIN_H_
#define CONCORD_REFERENCE_TF_ATROUS_CHAIN_H_

#include <span>

#include "reference/oracle.h"
#include "spec/attributes.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

struct ChainGeometry {
  Extent batch, height, width, channels;
  Extent layers, filter_height, filter_width, rate;
  /// The printed shortcut, whose phases' padding becomes part of the image; else the sequence.
  bool as_printed;

  /// Of an element of one layer.
  Extent products() const { return filter_height * filter_width * channels; }
  /// The shortcut is the sequence: there is no padding of phases that a second layer could read.
  bool is_exact() const { return (height % rate == 0 && width % rate == 0) || layers < 2; }
};

/// Shapes  value [B,H,W,C], filters [layers,kh,kw,C,C]; the result has the shape of value
/// Errors  kRank, kSize: an extent is negative; kDilations: rate is no positive int32; kChannels:
///         filters do not have value's channels, twice; kKernel: no layer, or a side that is even
Result<ChainGeometry> resolve_atrous_chain(const Extents& value, const Extents& filters,
                                           const AtrousChainAttributes& a, Reading reading);

/// Shapes   value and filters as above, dense, the last axis fastest; so is the result
/// Numeric  f64; the magnitude is the value of the same chain without signs
Oracle evaluate_atrous_chain(const ChainGeometry& g, std::span<const double> value,
                             std::span<const double> filters);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_TF_ATROUS_CHAIN_H_
