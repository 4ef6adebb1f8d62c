// SPDX-License-Identifier: Apache-2.0
// Convolutions by fast Fourier transforms, as libraries compute them, to measure the judge by.
#ifndef CONCORD_CONFORMANCE_POWER_SIMULATED_FFT_H_
#define CONCORD_CONFORMANCE_POWER_SIMULATED_FFT_H_

#include <vector>

#include "conformance/power/simulated_arithmetic.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// The outputs of one tile of n x n elements and a k x k kernel: both are transformed (radix 2, in
/// two dimensions), multiplied element by element, added up over channels and transformed back.
/// Every operation and every root of unity rounds to `accumulator`.
/// Shapes  n a power of two; src [channels][n * n], weights [channels][k * k], row-major; the result
///         [n - k + 1][n - k + 1]
std::vector<double> fft_outputs(Extent n, Extent k, const std::vector<std::vector<double>>& src,
                                const std::vector<std::vector<double>>& weights,
                                const SimulatedAccumulator& accumulator);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SIMULATED_FFT_H_
