// SPDX-License-Identifier: Apache-2.0
// The continuous kernel: the two hidden layers of the Internal-Net for many distances at once, and
// their gradients; its third layer, which is linear, as a matrix applied to the sums over pixels;
// and Keys' cubic.
#ifndef CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_NET_H_
#define CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_NET_H_

#include <Eigen/Core>
#include <vector>

#include "optimized/operations/continuous_shape.h"

namespace concord::optimized {

using Matrix = Eigen::MatrixXd;  ///< column-major: a column a distance
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;

/// Copies theta, which lies as shape.theta says, to `to` [parameters]. Exact.
void widen_theta(const ContinuousShape& shape, const void* theta, double* to);

/// theta in f64, as matrices. The third layer's matrix A3 [outputs,w2] and bias b3 [outputs] stay
/// where they are in theta.
class Net {
 public:
  /// Shapes  theta as widen_theta() leaves it; the net does not copy it
  Net(const ContinuousShape& shape, const double* theta);

  const NetShape& shape() const { return shape_; }
  /// A3 and b3, one behind the other.
  const double* last_layer() const { return A3_; }
  /// The doubles that hidden layers of `columns` distances take.
  static Extent hidden_elements(const NetShape& shape, Extent columns);

  /// The hidden layers of some distances, in memory that the caller gives.
  ///
  ///   z1 = A1 d + b1,  a1 = phi(z1),  z2 = A2 a1 + b2,  a2 = phi(z2)
  struct Hidden {
    MatrixMap d, a1, slope1, a2, slope2;  ///< slope: phi'(z), which is the net's slope at z = 0
  };
  Hidden hidden(double* memory, Extent columns) const;
  /// Evaluates them at hidden->d.
  /// Numeric  f64; the bits of a column depend on the number of columns and on its place alone
  void evaluate(Hidden* hidden) const;

  /// The third layer at all columns:  outputs = A3 a2 + b3.
  void finish(const Hidden& hidden, MatrixMap* outputs) const;

  /// Its gradients: with respect to a2 from that with respect to the outputs; adds those with
  /// respect to A3 and b3 to the last parameters of `gradient`.
  /// Shapes  outputs as of finish(), g2 as a2, gradient [parameters]
  void pull_back_last(const Hidden& hidden, const MatrixMap& outputs, MatrixMap* g2,
                      double* gradient) const;

  /// The gradient with respect to d from that with respect to a2, which is overwritten; adds those
  /// with respect to A1, b1, A2, b2 to the first parameters of `gradient`.
  /// Shapes  g2 as a2, g1 as a1
  void pull_back(const Hidden& hidden, MatrixMap* g2, MatrixMap* g1, MatrixMap* gd,
                 double* gradient) const;

 private:
  NetShape shape_;
  ConstMatrixMap A1_, b1_, A2_, b2_;  // A1 and A2 transposed: rows of theta are columns here
  const double* A3_;
};

/// The interpolating cubic of Keys with a = -1/2, and its derivative.
double keys(double d);
double keys_slope(double d);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPERATIONS_CONTINUOUS_NET_H_
