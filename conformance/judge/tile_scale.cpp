// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/tile_scale.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace concord::conformance {
namespace {

// S of a window of 3 x 3 evenly spread magnitudes, over max|x| max|w|.
constexpr double kEvenWindow = 9.0 / 4;

// Of F(6 x 6, 3 x 3): the square of the largest row sum of abs(B^T), and c^2; twice of either, for
// what rounding adds and demotion enlarges. docs/numerics.md#bilinear
constexpr double kTransformedInput = 2 * 15 * 15, kTransformedSum = 2 * 4579;

// Of the same, what a step lost in each operation of the transform of the weights does to an
// output, over max|x|, 518^2 * 12, and what one of src does, over max|w|, 7.4^2 * 240; and a
// quarter more.
constexpr double kLostOfWeights = 4e6, kLostOfSrc = 2e4;

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) {
    if (std::isfinite(value)) most = std::max(most, std::fabs(value));
  }
  return most;
}

// The largest of each of `count` runs of equal length.
std::vector<double> largest_of_runs(const std::vector<double>& values, Extent count) {
  std::vector<double> most;
  const std::size_t length = count == 0 ? 0 : values.size() / static_cast<std::size_t>(count);
  for (Extent run = 0; run < count; ++run) {
    most.push_back(
        largest(std::span(values).subspan(static_cast<std::size_t>(run) * length, length)));
  }
  return most;
}

}  // namespace

TileScale tile_scale(const reference::Resolution& geometry, const Inputs& inputs) {
  const double bias = largest(inputs.bias);
  const auto* g = std::get_if<reference::Geometry>(&geometry.form);
  if (g == nullptr) {
    const double term = largest(inputs.src) * largest(inputs.weights);
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
  return {kEvenWindow * most,
          static_cast<double>(reference::volume(g->K)) * squares / sums + bias * bias};
}

bool tiles_may_exceed(double most, const reference::Resolution& geometry, const Inputs& inputs) {
  const double terms = tile_scale(geometry, inputs).magnitude / kEvenWindow;
  return kTransformedInput * largest(inputs.src) > most ||
         kTransformedSum * terms + largest(inputs.bias) > most;
}

double lost_in_transforms(const reference::Resolution& geometry, const Inputs& inputs,
                          double step) {
  const auto* g = std::get_if<reference::Geometry>(&geometry.form);
  const auto channels = static_cast<double>(g == nullptr ? geometry.products : g->ICG());
  return channels * step *
         (kLostOfWeights * largest(inputs.src) + kLostOfSrc * largest(inputs.weights));
}

}  // namespace concord::conformance
