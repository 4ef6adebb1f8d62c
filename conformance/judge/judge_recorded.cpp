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

concord_arithmetic producer_of(const Recorded& recorded) {
  return parse_arithmetic(recorded.arithmetic).value();
}

bool spreads(const Expectation& e) {
  return is_bilinear(e.arithmetic) ||
         (!e.recorded->arithmetic.empty() && is_bilinear(producer_of(*e.recorded)));
}

}  // namespace

double half_unit(Dtype dtype, double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const Format& format = format_of(dtype);
  // The largest number that is read as `value`, and a little more, for the logarithm's own error.
  const double read = std::fabs(value) * (1 + 2 * format.unit_roundoff()) + format.smallest();
  const double exponent = std::floor(std::log10(read * (1 + 0x1p-40)));
  return 0.5 * std::pow(10.0, exponent + 1 - digits);
}

std::vector<double> printed_radii(Dtype dtype, const Recorded& recorded) {
  if (recorded.exactness != vectors::Exactness::kPrinted) return {};
  const double u = format_of(dtype).unit_roundoff();
  std::vector<double> radii;
  for (const double value : recorded.dst) {
    // One u for the reading of what is half a unit off, one for the power of ten itself.
    radii.push_back((1 + 2 * u) * half_unit(dtype, value, recorded.digits));
  }
  return radii;
}

ErrorBound producer_bound(Dtype dtype, const Recorded& recorded, Extent products) {
  ErrorBound bound;
  if (recorded.exactness == vectors::Exactness::kExact) return bound;
  const double u = format_of(dtype).unit_roundoff();
  if (!recorded.arithmetic.empty()) bound = error_bound(dtype, producer_of(recorded), products);
  bound.relative = (1 + u) * bound.relative + u;
  bound.absolute = (1 + u) * bound.absolute + format_of(dtype).smallest();
  return bound;
}

ErrorBound recorded_bound(const Expectation& e) {
  using vectors::Exactness;
  const Exactness exactness = e.recorded->exactness;
  ErrorBound bound;
  if (!sums_are_exact(e)) bound = error_bound(e);
  // A result that is rounded once from the exact value is the recorded one.
  const bool is_rounded_alike = exactness == Exactness::kCorrectlyRounded && is_zero(bound) &&
                                output_rounding(e.arithmetic) == Rounding::kNearest &&
                                !rounds_before_bias(e.dtype, e.arithmetic);
  ErrorBound producer;
  if (!is_rounded_alike) producer = producer_bound(e.dtype, *e.recorded, e.geometry.products);
  if (exactness == Exactness::kPrinted) {  // it was rounded when it was read
    const double u = format_of(e.dtype).unit_roundoff();
    producer.relative = (1 + u) * producer.relative + u;
    producer.absolute = (1 + u) * producer.absolute + format_of(e.dtype).smallest();
  }
  bound.relative += producer.relative;
  bound.absolute += producer.absolute;
  // Of what is recorded the error is relative to the sum with the bias.
  bound.oracle = bound.relative;
  return bound;
}

bool is_exact_recorded(const Expectation& e) { return is_zero(recorded_bound(e)); }

Finding judge_recorded(const Expectation& e, std::span<const double> got) {
  const ErrorBound bound = recorded_bound(e);
  return Acceptance(e.dtype, e.arithmetic, bound)
      .judge(got, e.oracle.value, magnitudes(e, spreads(e)), bias_of(e), {},
             printed_radii(e.dtype, *e.recorded));
}

Trust assess_recorded(const Expectation& e) {
  return assess_bounded(e.dtype, e.arithmetic, e.shape, recorded_bound(e), e.oracle.value,
                        magnitudes(e, spreads(e)), printed_radii(e.dtype, *e.recorded));
}

}  // namespace concord::conformance
