// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/simulated_fft.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "spec/check.h"

namespace concord::conformance {
namespace {

using Plane = FourierTile::Transformed;

/// Complex numbers of a library.
class Field {
 public:
  explicit Field(const RealOperations& real) : real_(real) {}

  Complex sum(Complex a, Complex b) const { return {real_.sum(a.re, b.re), real_.sum(a.im, b.im)}; }
  Complex difference(Complex a, Complex b) const { return sum(a, {-b.re, -b.im}); }
  Complex product(Complex a, Complex b) const {
    return {real_.sum(real_.product(a.re, b.re), -real_.product(a.im, b.im)),
            real_.sum(real_.product(a.re, b.im), real_.product(a.im, b.re))};
  }
  /// exp(2 pi i turn); quarters of a turn are exact.
  Complex root(double turn) const {
    const double angle = 2 * std::numbers::pi * turn;
    const auto rounded = [&](double x) { return std::fabs(x) < 1e-15 ? 0 : real_.sum(x, 0); };
    return {rounded(std::cos(angle)), rounded(std::sin(angle))};
  }

 private:
  const RealOperations& real_;
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

// Rows, and columns where there is more than one row: then as many as columns.
Plane transformed(Plane plane, int sign, const Field& field) {
  const auto rows = [&] {
    for (auto& row : plane) row = transformed(row, sign, field);
  };
  const auto transpose = [&] {
    for (std::size_t i = 0; i < plane.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(plane[i][j], plane[j][i]);
    }
  };
  rows();
  if (plane.size() == 1) return plane;
  transpose();
  rows();
  transpose();
  return plane;
}

// Rows of `width` values in the corner of a plane of zeros.
Plane plane_of(std::size_t rows, std::size_t columns, const std::vector<double>& values,
               std::size_t width) {
  Plane plane(rows, std::vector<Complex>(columns));
  for (std::size_t i = 0; i < values.size(); ++i) plane[i / width][i % width].re = values[i];
  return plane;
}

}  // namespace

FourierTile::FourierTile(Extent n, Extent k, std::size_t axes, RealOperations operations)
    : n_(static_cast<std::size_t>(n)),
      k_(static_cast<std::size_t>(k)),
      axes_(axes),
      operations_(std::move(operations)) {
  CONCORD_CHECK((n_ & (n_ - 1)) == 0 && k >= 1 && k <= n && (axes == 1 || axes == 2))
      << n << " elements, " << k << " taps, " << axes << " axes";
}

FourierTile::Transformed FourierTile::window(const std::vector<double>& values) const {
  return transformed(plane_of(axes_ == 1 ? 1 : n_, n_, values, n_), -1, Field(operations_));
}

// Conjugated, for no kernel is flipped.
FourierTile::Transformed FourierTile::kernel(const std::vector<double>& values) const {
  Plane plane = transformed(plane_of(axes_ == 1 ? 1 : n_, n_, values, k_), -1, Field(operations_));
  for (auto& row : plane) {
    for (Complex& each : row) each.im = -each.im;
  }
  return plane;
}

std::vector<double> FourierTile::outputs(std::span<const Transformed> windows,
                                         std::span<const Transformed> kernels) const {
  const Field field(operations_);
  Plane sum = plane_of(axes_ == 1 ? 1 : n_, n_, {}, n_);
  for (std::size_t channel = 0; channel < windows.size(); ++channel) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        const Complex product = field.product(windows[channel][i][j], kernels[channel][i][j]);
        sum[i][j] = field.sum(sum[i][j], product);
      }
    }
  }
  const Plane all = transformed(sum, 1, field);
  const double scale = 1 / static_cast<double>(sum.size() * n_);  // a power of two
  std::vector<double> valid;
  for (std::size_t i = 0; i < (axes_ == 1 ? 1 : n_ - k_ + 1); ++i) {
    for (std::size_t j = 0; j + k_ <= n_; ++j) {
      valid.push_back(operations_.product(all[i][j].re, scale));
    }
  }
  return valid;
}

std::vector<double> fft_outputs(Extent n, Extent k, const std::vector<std::vector<double>>& src,
                                const std::vector<std::vector<double>>& weights,
                                const SimulatedAccumulator& accumulator) {
  const FourierTile tile(n, k, 2,
                         {[&](double a, double b) { return accumulator.round(a + b); },
                          [&](double a, double b) { return accumulator.round(a * b); }});
  std::vector<FourierTile::Transformed> windows, kernels;
  for (std::size_t channel = 0; channel < src.size(); ++channel) {
    windows.push_back(tile.window(src[channel]));
    kernels.push_back(tile.kernel(weights[channel]));
  }
  return tile.outputs(windows, kernels);
}

}  // namespace concord::conformance
