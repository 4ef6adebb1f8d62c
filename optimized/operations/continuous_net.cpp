// SPDX-License-Identifier: Apache-2.0
#include "optimized/operations/continuous_net.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "optimized/layout/convert.h"
#include "optimized/layout/stage.h"

namespace concord::optimized {
namespace {

// a = phi(z) in place of z, and phi'(z).
void leaky_relu(double slope, MatrixMap* z, MatrixMap* slopes) {
  double* value = z->data();
  double* factor = slopes->data();
  for (Eigen::Index i = 0; i < z->size(); ++i) {
    factor[i] = value[i] > 0 ? 1 : slope;
    value[i] *= factor[i];
  }
}

}  // namespace

void widen_theta(const ContinuousShape& shape, const void* theta, double* to) {
  std::array<float, 256> part{};
  const Extent size = static_cast<Extent>(part.size());
  for (Extent i = 0; i < shape.theta.dims[0]; i += size) {
    const Extent count = std::min(size, shape.theta.dims[0] - i);
    widen(shape.dtype, element_at(theta, i * shape.theta.strides[0], shape.dtype),
          shape.theta.strides[0], part.data(), count);
    std::copy_n(part.data(), count, to + i);
  }
}

Net::Net(const ContinuousShape& shape, const double* theta)
    : shape_(shape.net),
      A1_(theta, 2, shape.net.w1),
      b1_(theta + 2 * shape.net.w1, shape.net.w1, 1),
      A2_(theta + 3 * shape.net.w1, shape.net.w1, shape.net.w2),
      b2_(theta + (3 + shape.net.w2) * shape.net.w1, shape.net.w2, 1),
      A3_(b2_.data() + shape.net.w2) {}

Extent Net::hidden_elements(const NetShape& shape, Extent columns) {
  return (2 + 2 * shape.w1 + 2 * shape.w2) * columns;
}

Net::Hidden Net::hidden(double* memory, Extent columns) const {
  const auto take = [&](Extent rows) {
    double* const at = memory;
    memory += rows * columns;
    return MatrixMap(at, rows, columns);
  };
  MatrixMap d = take(2);
  MatrixMap a1 = take(shape_.w1);
  MatrixMap slope1 = take(shape_.w1);
  MatrixMap a2 = take(shape_.w2);
  return {d, a1, slope1, a2, take(shape_.w2)};
}

void Net::evaluate(Hidden* hidden) const {
  hidden->a1.noalias() = A1_.transpose() * hidden->d;
  hidden->a1.colwise() += b1_.col(0);
  leaky_relu(shape_.slope, &hidden->a1, &hidden->slope1);
  hidden->a2.noalias() = A2_.transpose() * hidden->a1;
  hidden->a2.colwise() += b2_.col(0);
  leaky_relu(shape_.slope, &hidden->a2, &hidden->slope2);
}

void Net::finish(const Hidden& hidden, MatrixMap* outputs) const {
  const ConstMatrixMap A3(A3_, shape_.w2, shape_.outputs);  // transposed, as A1 and A2
  const ConstMatrixMap b3(A3_ + shape_.w2 * shape_.outputs, shape_.outputs, 1);
  outputs->noalias() = A3.transpose() * hidden.a2;
  outputs->colwise() += b3.col(0);
}

void Net::pull_back_last(const Hidden& hidden, const MatrixMap& outputs, MatrixMap* g2,
                         double* gradient) const {
  MatrixMap dA3(gradient + shape_.hidden_parameters(), shape_.w2, shape_.outputs);
  MatrixMap db3(dA3.data() + dA3.size(), shape_.outputs, 1);
  dA3.noalias() += hidden.a2 * outputs.transpose();
  db3 += outputs.rowwise().sum();
  g2->noalias() = ConstMatrixMap(A3_, shape_.w2, shape_.outputs) * outputs;
}

void Net::pull_back(const Hidden& hidden, MatrixMap* g2, MatrixMap* g1, MatrixMap* gd,
                    double* gradient) const {
  MatrixMap dA1(gradient, 2, shape_.w1);
  MatrixMap db1(gradient + 2 * shape_.w1, shape_.w1, 1);
  MatrixMap dA2(gradient + 3 * shape_.w1, shape_.w1, shape_.w2);
  MatrixMap db2(gradient + (3 + shape_.w2) * shape_.w1, shape_.w2, 1);
  g2->array() *= hidden.slope2.array();
  dA2.noalias() += hidden.a1 * g2->transpose();
  db2 += g2->rowwise().sum();
  g1->noalias() = A2_ * *g2;
  g1->array() *= hidden.slope1.array();
  dA1.noalias() += hidden.d * g1->transpose();
  db1 += g1->rowwise().sum();
  gd->noalias() = A1_ * *g1;
}

double keys(double d) {
  const double x = std::fabs(d);
  if (x <= 1) return x * x * (1.5 * x - 2.5) + 1;
  if (x < 2) return x * (x * (2.5 - 0.5 * x) - 4) + 2;
  return 0;
}

double keys_slope(double d) {
  const double x = std::fabs(d);
  const double sign = d < 0 ? -1 : 1;
  if (x <= 1) return sign * x * (4.5 * x - 5);
  if (x < 2) return sign * (x * (5 - 1.5 * x) - 4);
  return 0;
}

}  // namespace concord::optimized
