// SPDX-License-Identifier: Apache-2.0
// f64: loops of their own, because those of the other dtypes sum in f32.
#ifndef CONCORD_BACKENDS_FAULTY_DOUBLES_H_
#define CONCORD_BACKENDS_FAULTY_DOUBLES_H_

#include "backends/adapter/adapter.h"

namespace concord::backends::faulty {

struct Nest;
struct Views;

struct DoubleHooks {
  bool served = false;  ///< f64 is not declined
  /// Of discrete convolutions.
  void (*geometry)(Nest&) = nullptr;
  /// Of each element, as it is read.
  double (*src)(double) = nullptr;
  double (*weights)(double) = nullptr;
  double (*bias)(double) = nullptr;
  /// Of discrete convolutions: the sum with the product of x and w.
  double (*add)(double sum, double x, double w) = nullptr;
  /// Of each element, as it is written.
  double (*result)(double) = nullptr;
};

/// Applies a hook to all values.
void change(double (*hook)(double), std::vector<double>& values);

/// Executes a discrete convolution.
/// Numeric  f64 without fused operations: products and sums in the order ic, kd, kh, kw, then the
///          bias
void execute(const DoubleHooks& hooks, Nest nest, const Views& views, const Buffers& buffers);

}  // namespace concord::backends::faulty

#endif  // CONCORD_BACKENDS_FAULTY_DOUBLES_H_
