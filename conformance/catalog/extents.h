// SPDX-License-Identifier: Apache-2.0
// The extents of a problem's tensors by what they mean, whatever the formats.
#ifndef CONCORD_CONFORMANCE_CATALOG_EXTENTS_H_
#define CONCORD_CONFORMANCE_CATALOG_EXTENTS_H_

#include "reference/discrete.h"
#include "spec/problem.h"

namespace concord::conformance {

/// Batch, groups, channels in and out of a group, spatial extents of src and weights, outermost
/// first.
struct Shape {
  Extent N = 1, G = 1, ICG = 1, OCG = 1;
  Extents I{}, K{};
  bool operator==(const Shape&) const = default;
};

/// Shapes  src and weights of `problem` have the same rank, 3 to 8; groups is positive
Shape shape_of(const Problem& problem);

/// Gives src, weights, bias (where there is one) and groups the extents of `shape`; whatever
/// strides and dst the problem had are gone.
void set_shape(Problem& problem, const Shape& shape);

/// The attributes that Convolution1 and Convolution share; nothing for AtrousConv2d.
SpatialAttributes* spatial_attributes(Problem& problem);
const SpatialAttributes* spatial_attributes(const Problem& problem);

/// Multiplications of one evaluation, including those by padding: N OC O ICG K.
Extent count_macs(const reference::Geometry& geometry);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_EXTENTS_H_
