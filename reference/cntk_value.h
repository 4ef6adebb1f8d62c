// SPDX-License-Identifier: Apache-2.0
// The values of CNTK's N-dimensional Convolution and its two gradients:
// docs/spec.md#cntk-convolution.
#ifndef CONCORD_REFERENCE_CNTK_VALUE_H_
#define CONCORD_REFERENCE_CNTK_VALUE_H_

#include "reference/cntk_geometry.h"
#include "reference/oracle.h"

namespace concord::reference {

/// Evaluates a Convolution.
///
///   out[p + positions * m] = sum over k of  w[kernel_of(out)][k] * in[p * stride + k - lower]
///
/// Shapes   as attributes.h: first axis fastest, samples last; weights dense [kernels, cells]
/// Numeric  products and sums in f64, the first kernel axis fastest; cells outside add nothing
/// Errors   none: `g` came from resolve_cntk()
Oracle evaluate_cntk(const CntkGeometry& g, std::span<const double> in,
                     std::span<const double> weights);

/// Adds the gradient with respect to the input to `preset`, as the system does.
/// Shapes  grad as dst, preset and the result as src
/// Errors  none, as above
Oracle cntk_backward_data(const CntkGeometry& g, std::span<const double> grad,
                          std::span<const double> weights, std::span<const double> preset);

/// Adds the gradient with respect to the weights to `preset`.
/// Shapes  grad as dst, preset and the result as weights
/// Errors  none, as above
Oracle cntk_backward_kernel(const CntkGeometry& g, std::span<const double> grad,
                            std::span<const double> in, std::span<const double> preset);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_CNTK_VALUE_H_
