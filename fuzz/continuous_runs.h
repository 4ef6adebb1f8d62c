// SPDX-License-Identifier: Apache-2.0
// The continuous layer for properties: layers, and the engine's answer to them.
#ifndef CONCORD_FUZZ_CONTINUOUS_RUNS_H_
#define CONCORD_FUZZ_CONTINUOUS_RUNS_H_

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "optimized/operations/continuous.h"
#include "reference/continuous.h"

namespace concord::fuzz {

/// A layer with its input, [N,Cin,H,W] dense, and its parameters.
struct Layer {
  optimized::ContinuousTensors tensors{};
  ContinuousAttributes attributes{};
  std::vector<double> src{}, theta{};
};

/// How many parameters the layer's kernel has.
Extent parameters_of(const Extents& src, const ContinuousAttributes& a);

/// Any layer of small extents; extents of src at least 1.
Layer draw_layer();
/// The same with kernels whose weights are dyadic fractions of so few bits that every sum, in any
/// order, is exact in f32: distances are multiples of 1/16, parameters -1, 0 or 1, slopes powers
/// of two.
Layer draw_exact_layer(std::uint32_t seed);

/// `count` integers from -9 to 9, or numbers from -1 to 1 that `dtype` has.
std::vector<double> integers(Extent count, std::uint32_t seed);
std::vector<double> reals(Extent count, Dtype dtype, std::uint32_t seed);

reference::ContinuousGeometry geometry_of(const Layer& layer);

/// Runs the engine with `options`; dst dense.
std::vector<double> run_layer(const Layer& layer, const optimized::ContinuousOptions& options,
                              bool one_shot = false);

/// How many factors (1 + d), |d| <= 2^-24, a product that goes into an output collects at most; see
/// docs/numerics.md#continuous-layer.
double roundings(const optimized::ContinuousShape& shape, optimized::ContinuousWay way);

/// True if every value is within the interval that the bound gives around the reference's.
bool within_bound(const Layer& layer, const std::vector<double>& got, double roundings);

}  // namespace concord::fuzz

#endif  // CONCORD_FUZZ_CONTINUOUS_RUNS_H_
