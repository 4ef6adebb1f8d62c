// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/judge_recorded.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/factors.h"

namespace concord::conformance {
namespace {

// Of data that are not on a coarse grid no sum is taken for exact.
constexpr int kFinestGrid = 8;

// The smallest q with all values multiples of 2^-q, if it is no more than kFinestGrid.
std::optional<int> grid_of(std::span<const double> values) {
  for (int q = 0; q <= kFinestGrid; ++q) {
    const auto on_grid = [&](double v) { return std::ldexp(v, q) == std::rint(std::ldexp(v, q)); };
    if (std::all_of(values.begin(), values.end(), on_grid)) return q;
  }
  return std::nullopt;
}

bool survives(std::span<const double> values, int grid, int bits) {
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return std::fabs(value) <= std::ldexp(1.0, bits - grid);
  });
}

// True if K_theta is the last biases of its net, whatever the distance: the last layer has no
// coefficients, and what it multiplies is finite.
bool has_constant_kernel(const Expectation& e) {
  const auto* layer = std::get_if<reference::ContinuousGeometry>(&e.geometry.form);
  if (layer == nullptr || !e.geometry.has_exact_data) return false;
  const std::size_t biases = static_cast<std::size_t>(layer->net.C_final);
  const std::size_t last = biases * (static_cast<std::size_t>(layer->net.w2) + 1);
  const auto& theta = e.inputs.weights;
  if (theta.size() < last) return false;
  const auto begin = theta.end() - static_cast<std::ptrdiff_t>(last);
  return std::all_of(begin, theta.end() - static_cast<std::ptrdiff_t>(biases),
                     [](double a) { return a == 0; });
}

// Every partial sum, in whatever order, is a multiple of 2^-grid no larger than 2^(bits - grid).
bool sums_are_exact(const Expectation& e) {
  if (!e.geometry.is_sum_of_products && !has_constant_kernel(e)) return false;
  if (is_bilinear(e.arithmetic) || e.arithmetic.flushes_subnormals != 0) return false;
  // Of the layer's src and diff_dst one has values, or is not there.
  const Factors met = factors_of(e.geometry, e.inputs);
  const auto& pixels = e.inputs.diff_dst.empty() ? met.src : e.inputs.diff_dst;
  const auto& factors = met.weights;
  const auto src = grid_of(pixels), weights = grid_of(factors), bias = grid_of(e.inputs.bias);
  if (!src || !weights || !bias) return false;
  const int input_bits = exact_input_bits(e.dtype, e.arithmetic);
  const int grid = std::max(*src + *weights, *bias);
  const Accumulator accumulator = accumulator_of(e.dtype, e.arithmetic);
  return survives(pixels, *src, input_bits) && survives(factors, *weights, input_bits) &&
         survives(e.oracle.magnitude, grid, accumulator.bits) &&
         survives(e.oracle.magnitude, 0, std::ilogb(accumulator.largest));
}

bool is_zero(const ErrorBound& bound) { return bound.relative == 0 && bound.absolute == 0; }

// A bilinear algorithm, the judged one or the producer's, spreads its error over the tensor.
std::vector<double> magnitudes(const Expectation& e, bool bilinear) {
  std::vector<double> S = error_magnitudes(e, e.oracle);
  if (bilinear && !S.empty()) std::fill(S.begin(), S.end(), *std::max_element(S.begin(), S.end()));
  return S;
}

concord_arithmetic producer_of(const Expectation& e) {
  return parse_arithmetic(e.recorded->arithmetic).value();
}

bool spreads(const Expectation& e) {
  return is_bilinear(e.arithmetic) ||
         (e.recorded->exactness == vectors::Exactness::kArithmetic && is_bilinear(producer_of(e)));
}

}  // namespace

ErrorBound recorded_bound(const Expectation& e) {
  using vectors::Exactness;
  const Format& format = format_of(e.dtype);
  ErrorBound bound;
  if (!sums_are_exact(e)) bound = error_bound(e);
  if (e.recorded->exactness == Exactness::kArithmetic) {
    const double u = format.unit_roundoff();
    const ErrorBound producer = error_bound(e.dtype, producer_of(e), e.geometry.products);
    bound.relative += (1 + u) * producer.relative + u;
    bound.absolute += (1 + u) * producer.absolute + format.smallest();
  } else if (e.recorded->exactness == Exactness::kCorrectlyRounded &&
             (!is_zero(bound) || output_rounding(e.arithmetic) != Rounding::kNearest ||
              rounds_before_bias(e.dtype, e.arithmetic))) {
    bound.relative += format.unit_roundoff();
    bound.absolute += format.smallest();
  }
  // Of what is recorded the error is relative to the sum with the bias.
  bound.oracle = bound.relative;
  return bound;
}

bool is_exact_recorded(const Expectation& e) { return is_zero(recorded_bound(e)); }

Finding judge_recorded(const Expectation& e, std::span<const double> got) {
  const ErrorBound bound = recorded_bound(e);
  return Acceptance(e.dtype, e.arithmetic, bound)
      .judge(got, e.oracle.value, magnitudes(e, spreads(e)), bias_of(e));
}

Trust assess_recorded(const Expectation& e) {
  return assess_bounded(e.dtype, e.arithmetic, e.shape, recorded_bound(e), e.oracle.value,
                        magnitudes(e, spreads(e)));
}

}  // namespace concord::conformance
