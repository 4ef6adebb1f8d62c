// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/simulated_fft.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace concord::conformance {
namespace {

struct Complex {
  double re = 0, im = 0;
};

/// Complex numbers of the accumulator's format.
class Field {
 public:
  explicit Field(const SimulatedAccumulator& accumulator) : accumulator_(accumulator) {}

  Complex sum(Complex a, Complex b) const { return {round(a.re + b.re), round(a.im + b.im)}; }
  Complex difference(Complex a, Complex b) const {
    return {round(a.re - b.re), round(a.im - b.im)};
  }
  Complex product(Complex a, Complex b) const {
    return {round(round(a.re * b.re) - round(a.im * b.im)),
            round(round(a.re * b.im) + round(a.im * b.re))};
  }
  /// exp(2 pi i turn); quarters of a turn are exact.
  Complex root(double turn) const {
    const double angle = 2 * std::numbers::pi * turn;
    const auto exact = [](double x) { return std::fabs(x) < 1e-15 ? 0 : x; };
    return {round(exact(std::cos(angle))), round(exact(std::sin(angle)))};
  }
  double round(double value) const { return accumulator_.round(value); }

 private:
  const SimulatedAccumulator& accumulator_;
};

// Decimation in time; `sign` is -1 for the transform and 1 for its inverse without the divisor.
std::vector<Complex> transformed(const std::vector<Complex>& x, int sign, const Field& field) {
  const std::size_t n = x.size();
  if (n == 1) return x;
  std::vector<Complex> even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
  even = transformed(even, sign, field);
  odd = transformed(odd, sign, field);
  std::vector<Complex> result(n);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double turn = sign * static_cast<double>(k) / static_cast<double>(n);
    const Complex turned = k == 0 ? odd[k] : field.product(field.root(turn), odd[k]);
    result[k] = field.sum(even[k], turned);
    result[k + n / 2] = field.difference(even[k], turned);
  }
  return result;
}

using Plane = std::vector<std::vector<Complex>>;

Plane transformed(Plane plane, int sign, const Field& field) {
  for (int axis = 0; axis < 2; ++axis) {
    for (auto& row : plane) row = transformed(row, sign, field);
    for (std::size_t i = 0; i < plane.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(plane[i][j], plane[j][i]);
    }
  }
  return plane;
}

// Rows of `width` values in the corner of an n x n plane of zeros.
Plane plane_of(std::size_t n, const std::vector<double>& values, std::size_t width) {
  Plane plane(n, std::vector<Complex>(n));
  for (std::size_t i = 0; i < values.size(); ++i) plane[i / width][i % width].re = values[i];
  return plane;
}

}  // namespace

std::vector<double> fft_outputs(Extent extent, Extent kernel,
                                const std::vector<std::vector<double>>& src,
                                const std::vector<std::vector<double>>& weights,
                                const SimulatedAccumulator& accumulator) {
  const auto n = static_cast<std::size_t>(extent), k = static_cast<std::size_t>(kernel);
  const Field field(accumulator);
  Plane sum = plane_of(n, {}, n);
  for (std::size_t channel = 0; channel < src.size(); ++channel) {
    const Plane D = transformed(plane_of(n, src[channel], n), -1, field);
    const Plane G = transformed(plane_of(n, weights[channel], k), -1, field);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {  // the conjugate, for no kernel is flipped
        const Complex g{G[i][j].re, -G[i][j].im};
        sum[i][j] = field.sum(sum[i][j], field.product(D[i][j], g));
      }
    }
  }
  const Plane outputs = transformed(sum, 1, field);
  const double scale = 1 / static_cast<double>(n * n);  // a power of two
  std::vector<double> valid;
  for (std::size_t i = 0; i + k <= n; ++i) {
    for (std::size_t j = 0; j + k <= n; ++j) valid.push_back(field.round(outputs[i][j].re * scale));
  }
  return valid;
}

}  // namespace concord::conformance
