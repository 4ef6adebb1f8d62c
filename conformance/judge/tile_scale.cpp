// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/tile_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "conformance/judge/factors.h"

namespace concord::conformance {
namespace {

// S of a window of evenly spread magnitudes, over max|x| max|w|: of 3 x 3 taps or, if it has more,
// all of them.
double even_window(const reference::Resolution& geometry) {
  constexpr Extent kTaps = 9;
  const auto* g = std::get_if<reference::Geometry>(&geometry.form);
  return static_cast<double>(g == nullptr ? kTaps : std::max(kTaps, reference::volume(g->K))) / 4;
}

// Of tiles that are 8 wide, the largest that are covered: the largest row sum of abs(B^T), and c by
// the taps of a kernel; of the product over axes twice, for what rounding adds and demotion
// enlarges. docs/numerics.md#bilinear
constexpr double kTransformedInput = 2 * 15 * 15;
constexpr std::array kTransformedSum{1.0, 1.0, 56.2, 67.7, 77.3, 86.8, 98.4, 114.9};

double transformed_sum(const reference::Resolution& geometry) {
  constexpr std::size_t kThree = 3;
  const auto* g = std::get_if<reference::Geometry>(&geometry.form);
  if (g == nullptr) return 2 * kTransformedSum[kThree] * kTransformedSum[kThree];
  double sum = 2;
  for (const Extent K : g->K) {
    sum *= kTransformedSum.at(std::min(static_cast<std::size_t>(K), kTransformedSum.size() - 1));
  }
  return sum;
}

// Of the same, what a step lost in each operation of the transform of the weights does to an
// output, over max|x|, 998^2 * 9 of two taps, and what one of src does, over max|w|,
// 11.2^2 * 240 of seven; and a quarter more.
constexpr double kLostOfWeights = 1.2e7, kLostOfSrc = 4e4;

// The largest of each of `count` runs of equal length.
std::vector<double> largest_of_runs(const std::vector<double>& values, Extent count) {
  std::vector<double> most;
  const std::size_t length = count == 0 ? 0 : values.size() / static_cast<std::size_t>(count);
  for (Extent run = 0; run < count; ++run) {
    most.push_back(largest_magnitude(
        std::span(values).subspan(static_cast<std::size_t>(run) * length, length)));
  }
  return most;
}

}  // namespace

TileScale tile_scale(const reference::Resolution& geometry, const Inputs& inputs) {
  const double bias = largest_magnitude(inputs.bias);
  const auto* g = std::get_if<reference::Geometry>(&geometry.form);
  if (g == nullptr) {
    const Factors factors = factors_of(geometry, inputs);
    const double term = largest_magnitude(factors.src) * largest_magnitude(factors.weights);
    const auto products = static_cast<double>(geometry.products);
    return {products * term, products * term * term + bias * bias};
  }
  const std::vector<double> x = largest_of_runs(inputs.src, g->N * g->IC);
  const std::vector<double> w = largest_of_runs(inputs.weights, g->OC * g->ICG());
  double most = 0, squares = 0;
  for (Extent n = 0; n < g->N; ++n) {
    for (Extent oc = 0; oc < g->OC; ++oc) {
      double sum = 0;
      for (Extent ic = 0; ic < g->ICG(); ++ic) {
        const Extent channel = n * g->IC + oc / g->OCG() * g->ICG() + ic;
        const double term =
            x[static_cast<std::size_t>(channel)] * w[static_cast<std::size_t>(oc * g->ICG() + ic)];
        sum += term;
        squares += term * term;
      }
      most = std::max(most, sum);
    }
  }
  const auto sums = static_cast<double>(std::max<Extent>(g->N * g->OC, 1));
  return {even_window(geometry) * most,
          static_cast<double>(reference::volume(g->K)) * squares / sums + bias * bias};
}

bool tiles_may_exceed(double most, const reference::Resolution& geometry, const Inputs& inputs) {
  const double terms = tile_scale(geometry, inputs).magnitude / even_window(geometry);
  return kTransformedInput * largest_magnitude(factors_of(geometry, inputs).src) > most ||
         transformed_sum(geometry) * terms + largest_magnitude(inputs.bias) > most;
}

double lost_in_transforms(const reference::Resolution& geometry, const Inputs& inputs,
                          double step) {
  const auto* g = std::get_if<reference::Geometry>(&geometry.form);
  const auto channels = static_cast<double>(g == nullptr ? geometry.products : g->ICG());
  const Factors factors = factors_of(geometry, inputs);
  return channels * step *
         (kLostOfWeights * largest_magnitude(factors.src) +
          kLostOfSrc * largest_magnitude(factors.weights));
}

}  // namespace concord::conformance
