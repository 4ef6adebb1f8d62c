// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"

namespace concord::conformance {
namespace {

// Where tap `tap` of a run stands: runs are contiguous, but in CNTK's HWC layout they interleave.
std::size_t place_of_tap(const FormOrder& order, Extent runs, Extent run, Extent tap) {
  const auto* flat = std::get_if<reference::Cntk2dGeometry>(&order.resolution.form);
  const bool interleaved = flat != nullptr && flat->layout == CntkLayout::kHwc;
  return static_cast<std::size_t>(interleaved ? run + runs * tap
                                              : run * order.resolution.products + tap);
}

// Writes what `draw` says into `count` taps of every run of weights; a run may have every tap.
template <class Draw>
void fill_taps(const FormOrder& order, Extent count, std::vector<double>& weights, Draw draw) {
  const Extent products = order.resolution.products;
  if (weights.empty() || products == 0) return;
  std::vector<Extent> taps(static_cast<std::size_t>(products));
  std::iota(taps.begin(), taps.end(), 0);
  const auto runs = static_cast<Extent>(weights.size()) / products;
  Extent run = 0;
  for (const auto& hand :
       deal_taps(runs, std::max<Extent>(runs, 1), taps, std::min(count, products), order.seed)) {
    for (const Extent tap : hand) weights[place_of_tap(order, runs, run, tap)] = draw();
    ++run;
  }
}

Inputs fill_integer_runs(const FormOrder& order, const IntegerLimits& limits) {
  Inputs inputs = make_zeros(order.problem);
  Xoshiro src = stream(order, Input::kSrc);
  const SignedInteger draw_src(limits.src, 3, 4), draw_weight(limits.weights, 3, 4);
  for (double& x : inputs.src) x = draw_src(src);
  Xoshiro weights = stream(order, Input::kWeights);
  fill_taps(order, limits.taps, inputs.weights, [&] { return draw_weight(weights); });
  return inputs;
}

// As fill_subnormal(). Where elements are only moved there are no weights to carry the unit.
Inputs fill_subnormal_runs(const FormOrder& order) {
  const Dtype dtype = order.problem.dtype;
  Inputs inputs = fill_integer_runs(
      order, subnormal_limits(dtype, order.arithmetic, order.resolution.products, false));
  const bool in_src = unit_is_in_src(order.seed) || !has_weights(order.problem.operation());
  const double unit = subnormal_unit(dtype, order.arithmetic);
  for (double& value : in_src ? inputs.src : inputs.weights) value *= unit;
  return inputs;
}

Inputs fill_ramp_runs(const FormOrder& order) {
  Inputs inputs = make_zeros(order.problem);
  Xoshiro src = stream(order, Input::kSrc);
  const Extent largest = most_codes(order.problem.dtype, order.arithmetic) - 1;
  inputs.src = place_codes(in_reading_order(order.problem, Input::kSrc).dims, largest, src);
  fill_taps(order, 1, inputs.weights, [] { return 1.0; });
  return inputs;
}

// One product an element: by a power of two it is exact, whatever the mantissa.
Inputs fill_sparse_runs(const FormOrder& order) {
  Inputs inputs = make_zeros(order.problem);
  Xoshiro src = stream(order, Input::kSrc);
  const int bits = exact_bits(order.problem.dtype, order.arithmetic);
  for (double& x : inputs.src) x = draw_full_mantissa(bits, src);
  Xoshiro weights = stream(order, Input::kWeights);
  const bool one_bit = order.fill == Fill::kImpulse;
  fill_taps(order, 1, inputs.weights,
            [&] { return one_bit ? draw_power(weights) : draw_full_mantissa(bits, weights); });
  return inputs;
}

// One element of src in the middle, so that no tile of a bilinear algorithm has two.
Inputs fill_lone_element(const FormOrder& order) {
  Inputs inputs = make_zeros(order.problem);
  Xoshiro random = stream(order, Input::kSrc);
  if (!inputs.src.empty()) {
    std::size_t middle = 0;
    for (const Extent extent : order.problem.src.dims) {
      middle = middle * static_cast<std::size_t>(extent) + static_cast<std::size_t>(extent / 2);
    }
    inputs.src[middle] = draw_power(random);
  }
  Xoshiro weights = stream(order, Input::kWeights);
  fill_taps(order, 1, inputs.weights, [&] { return draw_power(weights); });
  return inputs;
}

Inputs fill_real_runs(const FormOrder& order) {
  const RealDraw draw(order.fill, order.problem.dtype, order.arithmetic,
                      static_cast<double>(order.resolution.products) + 1);
  const int s =
      exponent_between_factors(order.fill, order.seed, order.problem.dtype, order.arithmetic);
  Inputs inputs = make_zeros(order.problem);
  for (const auto& [input, exponent] : {std::pair(Input::kSrc, s), {Input::kWeights, -s}}) {
    Xoshiro random = stream(order, input);
    for (double& value : inputs.of(input)) value = std::ldexp(draw(random), exponent);
  }
  return inputs;
}

}  // namespace

Inputs fill_runs(const FormOrder& order) {
  if (order.fill == Fill::kIntegers) {
    return fill_integer_runs(order, integer_limits(order.problem.dtype, order.arithmetic,
                                                   order.resolution.products, false));
  }
  if (order.fill == Fill::kSubnormal) return fill_subnormal_runs(order);
  if (order.fill == Fill::kRamp) return fill_ramp_runs(order);
  if (order.fill == Fill::kSparse && is_bilinear(order.arithmetic)) return fill_lone_element(order);
  if (order.fill == Fill::kImpulse || order.fill == Fill::kSparse) return fill_sparse_runs(order);
  return fill_real_runs(order);
}

}  // namespace concord::conformance
