// SPDX-License-Identifier: Apache-2.0
// The reference: the specifications, computed as literally as possible.
//
// resolve() checks a problem against its specification and fixes its geometry; evaluate() computes
// the value of every output element and the sum of the magnitudes that went into it,
// which is the scale of any computation's rounding error (docs/numerics.md).
#ifndef CONCORD_REFERENCE_REFERENCE_H_
#define CONCORD_REFERENCE_REFERENCE_H_

#include <span>
#include <variant>

#include "reference/cntk_2d.h"
#include "reference/cntk_geometry.h"
#include "reference/continuous.h"
#include "reference/continuous_chain.h"
#include "reference/discrete.h"
#include "reference/tf_atrous_chain.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::reference {

/// space_to_batch or batch_to_space: elements are moved, none is computed.
struct Rearrangement {};

/// A gradient of CNTK's N-D form, and the convolution that it is of.
struct CntkGradient {
  CntkGeometry forward{};
  bool by_weights = false;  ///< else by the input

  /// A bound of the products that an element sums: along an axis an input cell is in at most
  /// ceil(kernel / stride) windows, and a weight in at most ceil(input / stride) with a cell.
  Extent products() const;
};

/// The result of resolve() for a problem.
struct Resolution {
  Tensor dst{};  ///< in the problem's axis order; with the strides asked for or the operation's own
  /// The largest number of roundings between a term and its output element in f32, when every
  /// operation of the formula is one: for a plain sum of products, how many products are summed.
  Extent products = 1;
  /// Every element is a sum of products of an input and a weight, or moved: nothing is composed.
  bool is_sum_of_products = true;
  /// How many results on a term's way to its output are tensors, which may be stored in the dtype.
  Extent stores = 0;
  /// There are integer data for which all arithmetic is exact.
  bool has_exact_data = true;
  std::variant<Geometry, Rearrangement, CntkGeometry, Cntk2dGeometry, ContinuousGeometry,
               ChainGeometry, ContinuousChainGeometry, CntkGradient>
      form{};

  /// False of operations that the reference computes in f64 itself: it is no judge of f64 results.
  bool judges_f64() const {
    return !std::holds_alternative<ContinuousGeometry>(form) &&
           !std::holds_alternative<ContinuousChainGeometry>(form) &&
           !std::holds_alternative<ChainGeometry>(form);
  }
  /// Of a discrete operation.
  const Geometry& discrete() const { return std::get<Geometry>(form); }
};

/// Checks `problem` and resolves its geometry.
/// Errors  the first fault in the order of the Fault enumeration
Result<Resolution> resolve(const Problem& problem);

/// The inputs' values, each dense in the order of in_reading_order(); empty where there is none.
struct Values {
  std::span<const double> src, weights, bias, diff_dst;
};

/// Evaluates `problem` by the formula of its own specification.
/// Shapes   the result is dense in the order of dst_in_reading_order()
/// Numeric  f64; sums of f64 itself as Oracle::low has it, but those of the continuous layer and
///          of the chain
/// Errors   none: `resolution` is resolve()'s result for `problem`. Unusable if interrupted()
Oracle evaluate(const Problem& problem, const Resolution& resolution, const Values& values);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_REFERENCE_H_
