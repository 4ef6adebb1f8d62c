// SPDX-License-Identifier: Apache-2.0
// Convolutions by fast Fourier transforms, as libraries compute them, to measure the judge by.
#ifndef CONCORD_CONFORMANCE_POWER_SIMULATED_FFT_H_
#define CONCORD_CONFORMANCE_POWER_SIMULATED_FFT_H_

#include <functional>
#include <span>
#include <vector>

#include "conformance/power/simulated_arithmetic.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// Operations of real numbers, each rounded as a library does.
struct RealOperations {
  std::function<double(double a, double b)> sum, product;
};

struct Complex {
  double re = 0, im = 0;
};

/// Tiles of n elements along each of one or two axes and kernels of k taps: both are transformed
/// (radix 2), multiplied element by element, added up over channels and transformed back. Every
/// root of unity is rounded, too.
/// Shapes  n a power of two, at least k; planes are row-major, with one row for one axis
class FourierTile {
 public:
  using Transformed = std::vector<std::vector<Complex>>;

  FourierTile(Extent n, Extent k, std::size_t axes, RealOperations operations);

  /// Of n or n * n values.
  Transformed window(const std::vector<double>& values) const;
  /// Of k or k * k values.
  Transformed kernel(const std::vector<double>& values) const;
  /// The n - k + 1 outputs along each axis of one window and one kernel for each channel.
  std::vector<double> outputs(std::span<const Transformed> windows,
                              std::span<const Transformed> kernels) const;

 private:
  std::size_t n_, k_, axes_;
  RealOperations operations_;
};

/// The outputs of one tile of n x n elements, each operation rounded to `accumulator`.
/// Shapes  src [channels][n * n], weights [channels][k * k], row-major; the result
///         [n - k + 1][n - k + 1]
std::vector<double> fft_outputs(Extent n, Extent k, const std::vector<std::vector<double>>& src,
                                const std::vector<std::vector<double>>& weights,
                                const SimulatedAccumulator& accumulator);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SIMULATED_FFT_H_
