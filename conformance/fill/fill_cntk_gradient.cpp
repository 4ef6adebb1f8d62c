// SPDX-License-Identifier: Apache-2.0
// The gradients of CNTK's N-D convolution: elements of diff_dst meet weights, or elements of src.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/exact_limits.h"
#include "conformance/fill/fill_kinds.h"
#include "reference/cntk_products.h"

namespace concord::conformance {
namespace {

using reference::CntkGradient;
using reference::CntkProduct;

constexpr std::uint64_t kChoiceStream = 37;

const CntkGradient& gradient_of(const FormOrder& order) {
  return std::get<CntkGradient>(order.resolution.form);
}

// What diff_dst is multiplied by.
Input factor_of(const FormOrder& order) {
  return gradient_of(order).by_weights ? Input::kSrc : Input::kWeights;
}

// Sets elements of diff_dst to zero, half of what is left at a time, until no element of the result
// sums magnitudes of more than `most`.
void thin_out(const FormOrder& order, double most, Inputs& inputs) {
  Xoshiro random(order.seed, kChoiceStream);
  const auto exceeds = [&] {
    const auto sums = reference::evaluate(order.problem, order.resolution,
                                          {inputs.src, inputs.weights, {}, inputs.diff_dst})
                          .magnitude;
    return std::any_of(sums.begin(), sums.end(), [&](double sum) { return sum > most; });
  };
  while (exceeds()) {
    for (double& value : inputs.diff_dst) value = random.below(2) == 0 ? 0.0 : value;
  }
}

Inputs fill_integer_gradient(const FormOrder& order, const IntegerLimits& limits) {
  Inputs inputs = make_zeros(order.problem);
  const SignedInteger draw_delta(limits.src, 3, 4), draw_factor(limits.weights, 3, 4);
  Xoshiro delta = stream(order, Input::kDiffDst), factor = stream(order, factor_of(order));
  for (double& value : inputs.diff_dst) value = draw_delta(delta);
  for (double& value : inputs.of(factor_of(order))) value = draw_factor(factor);
  if (limits.taps < order.resolution.products) {
    thin_out(order, static_cast<double>(limits.src * limits.weights * limits.taps), inputs);
  }
  return inputs;
}

Inputs fill_subnormal_gradient(const FormOrder& order) {
  const Dtype dtype = order.problem.dtype;
  Inputs inputs = fill_integer_gradient(
      order, subnormal_limits(dtype, order.arithmetic, order.resolution.products, false));
  const Input scaled = unit_is_in_src(order.seed) ? Input::kDiffDst : factor_of(order);
  for (double& value : inputs.of(scaled)) value *= subnormal_unit(dtype, order.arithmetic);
  return inputs;
}

// Which elements of diff_dst may be other than zero if no element of the result sums two products:
// each in one of a few rounds, by chance, and chosen there if all its places are free.
class LoneOutputs {
 public:
  explicit LoneOutputs(const FormOrder& order)
      : gradient_(gradient_of(order)),
        round_of_(static_cast<std::size_t>(element_count(gradient_.forward.dst).value())),
        is_taken_(static_cast<std::size_t>(element_count(order.resolution.dst.dims).value())) {
    Xoshiro random(order.seed, kChoiceStream);
    for (Extent& round : round_of_) round = random.below(kRounds);
    for (Extent round = 0; round < kRounds; ++round) choose_in(round);
  }

  std::vector<std::size_t> chosen() const { return chosen_; }

 private:
  static constexpr Extent kRounds = 8;

  void choose_in(Extent round) {
    std::optional<std::size_t> output;
    reference::for_each_cntk_product(
        gradient_.forward,
        [&](std::size_t next) {
          if (output) choose(*output);
          output = next;
        },
        [&](const CntkProduct& product) {
          if (round_of_[product.out] != round) return;
          places_.push_back(gradient_.by_weights ? product.weight : product.in);
        });
    if (output) choose(*output);
  }

  void choose(std::size_t output) {
    const bool is_free = std::none_of(places_.begin(), places_.end(),
                                      [&](std::size_t place) { return is_taken_[place]; });
    if (!places_.empty() && is_free) {
      for (const std::size_t place : places_) is_taken_[place] = true;
      chosen_.push_back(output);
    }
    places_.clear();
  }

  const CntkGradient& gradient_;
  std::vector<Extent> round_of_;
  std::vector<bool> is_taken_;
  std::vector<std::size_t> places_{};  // of the output that is looked at
  std::vector<std::size_t> chosen_{};
};

template <class Draw>
void fill_lone_outputs(const FormOrder& order, Inputs& inputs, Draw draw) {
  Xoshiro random = stream(order, Input::kDiffDst);
  for (const std::size_t output : LoneOutputs(order).chosen()) {
    inputs.diff_dst[output] = draw(random);
  }
}

Inputs fill_coded_gradient(const FormOrder& order) {
  Inputs inputs = make_zeros(order.problem);
  const Input factor = factor_of(order);
  Xoshiro random = stream(order, factor);
  const Extent largest = most_codes(order.problem.dtype, order.arithmetic) - 1;
  inputs.of(factor) = place_codes(in_reading_order(order.problem, factor).dims, largest, random);
  fill_lone_outputs(order, inputs, [](Xoshiro&) { return 1.0; });
  return inputs;
}

Inputs fill_sparse_gradient(const FormOrder& order) {
  Inputs inputs = make_zeros(order.problem);
  const int bits = exact_bits(order.problem.dtype, order.arithmetic);
  Xoshiro factor = stream(order, factor_of(order));
  for (double& value : inputs.of(factor_of(order))) value = draw_full_mantissa(bits, factor);
  const bool one_bit = order.fill == Fill::kImpulse;
  fill_lone_outputs(order, inputs, [&](Xoshiro& random) {
    return one_bit ? draw_power(random) : draw_full_mantissa(bits, random);
  });
  return inputs;
}

// One product in all, of powers of two: no tile of a bilinear algorithm has two.
Inputs fill_lone_product(const FormOrder& order) {
  Inputs inputs = make_zeros(order.problem);
  const auto chosen = LoneOutputs(order).chosen();
  if (chosen.empty()) return inputs;
  const std::size_t output = chosen[chosen.size() / 2];
  const bool by_weights = gradient_of(order).by_weights;
  std::vector<std::size_t> factors;
  reference::for_each_cntk_product(
      gradient_of(order).forward, [](std::size_t) {},
      [&](const CntkProduct& product) {
        if (product.out == output) factors.push_back(by_weights ? product.in : product.weight);
      });
  Xoshiro delta = stream(order, Input::kDiffDst), factor = stream(order, factor_of(order));
  const auto place = static_cast<std::size_t>(factor.below(static_cast<Extent>(factors.size())));
  inputs.diff_dst[output] = draw_power(delta);
  inputs.of(factor_of(order))[factors[place]] = draw_power(factor);
  return inputs;
}

Inputs fill_real_gradient(const FormOrder& order) {
  const RealDraw draw(order.fill, order.problem.dtype, order.arithmetic,
                      static_cast<double>(order.resolution.products) + 1);
  const int s =
      exponent_between_factors(order.fill, order.seed, order.problem.dtype, order.arithmetic);
  Inputs inputs = make_zeros(order.problem);
  for (const auto& [input, exponent] : {std::pair(Input::kDiffDst, s), {factor_of(order), -s}}) {
    Xoshiro random = stream(order, input);
    for (double& value : inputs.of(input)) value = std::ldexp(draw(random), exponent);
  }
  return inputs;
}

}  // namespace

Inputs fill_cntk_gradient(const FormOrder& order) {
  switch (order.fill) {
    case Fill::kIntegers:
      return fill_integer_gradient(order, integer_limits(order.problem.dtype, order.arithmetic,
                                                         order.resolution.products, false));
    case Fill::kSubnormal:
      return fill_subnormal_gradient(order);
    case Fill::kRamp:
      return fill_coded_gradient(order);
    case Fill::kSparse:
      return is_bilinear(order.arithmetic) ? fill_lone_product(order) : fill_sparse_gradient(order);
    case Fill::kImpulse:
      return fill_sparse_gradient(order);
    default:
      return fill_real_gradient(order);
  }
}

}  // namespace concord::conformance
