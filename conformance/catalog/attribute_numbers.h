// SPDX-License-Identifier: Apache-2.0
// The numbers behind a row of levels: strides, pads, channels and the extents that follow.
#ifndef CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_NUMBERS_H_
#define CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_NUMBERS_H_

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/cut.h"
#include "conformance/catalog/extents.h"

namespace concord::conformance {

/// Kernel, strides, dilations and stated pads by axis, outermost first.
struct AttributeNumbers {
  Extents K{}, S{}, D{}, P_begin{}, P_end{};
  AutoPad auto_pad = AutoPad::kNone;  ///< other than kNone, it overrides the stated pads
  bool documented = false;            ///< by the documented reading of SAME

  std::size_t axes() const { return K.size(); }
  Extent dilated_kernel(std::size_t a) const { return D[a] * (K[a] - 1) + 1; }
  /// Axis `a` with input extent `I` and its padding.
  Axis axis(std::size_t a, Extent I) const;
};

/// `row` is complete.
AttributeNumbers numbers_of(const Row& row);

/// The whole shape. Its spatial extents are the smallest that give the outputs that the row asks
/// for, let some output of every axis see input and, where that is possible in a few steps, differ
/// from one another and from the other extents of src and dst.
Shape shape_of_row(const Row& row, const AttributeNumbers& numbers);

/// The least extent of axis `a` that has so many outputs, one of which sees input.
Extent least_input(const AttributeNumbers& n, std::size_t a, Extent outputs);

/// Strides, dilations, pads and auto_pad.
void set_numbers(const AttributeNumbers& n, SpatialAttributes& attributes);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_ATTRIBUTE_NUMBERS_H_
