// SPDX-License-Identifier: Apache-2.0
// NaN and infinities for the operations that are not discrete convolutions.
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/special_values.h"

namespace concord::conformance {
namespace {

using reference::CntkAxis;

constexpr std::uint64_t kPlaceStream = 29;

void plant(std::span<const double> specials, Xoshiro& random, std::vector<double>& values,
           std::size_t begin, std::size_t count) {
  for (const double special : specials) {
    values[begin + static_cast<std::size_t>(random.below(static_cast<Extent>(count)))] = special;
  }
}

bool meets_no_padding(const reference::CntkGeometry& g) {
  return std::all_of(g.axes.begin(), g.axes.end(),
                     [](const CntkAxis& axis) { return axis.lower <= 0 && axis.upper <= 0; });
}

// Runs of weights, contiguous, of which one can be planted in: what is not finite there would meet
// padding otherwise, where a library may multiply it by zero or leave it out.
bool may_plant_in_weights(const FormOrder& order) {
  const auto* g = std::get_if<reference::CntkGeometry>(&order.resolution.form);
  return g != nullptr && g->kernel_count > 1 && meets_no_padding(*g);
}

// What the values of a sum of products are not told of by its formula is left out of the layer: its
// weights are sums themselves, and which of their terms meet an infinity first is the engine's own.
std::span<const double> specials_of(const FormOrder& order) {
  const auto all = special_values();
  return order.resolution.is_sum_of_products ? all : all.first(1);
}

bool tells_apart(const FormOrder& order, const Inputs& inputs) {
  const auto kind = [](double value) {
    return std::isnan(value) ? 2 : std::isinf(value) ? (value > 0 ? 1 : -1) : 0;
  };
  const auto dst = reference::evaluate(order.problem, order.resolution,
                                       {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst})
                       .value;
  const bool reached = std::any_of(dst.begin(), dst.end(), [&](double v) { return kind(v) != 0; });
  const bool apart =
      std::any_of(dst.begin(), dst.end(), [&](double v) { return kind(v) != kind(dst.front()); });
  return reached && (apart || dst.size() == 1);
}

Input planted_input(const FormOrder& order, std::uint64_t seed) {
  if (order.problem.operation() == Operation::kContinuousBackwardData) return Input::kDiffDst;
  if (const auto* g = std::get_if<reference::CntkGradient>(&order.resolution.form)) {
    // Padding is an input cell of zero to a library that pads: it must not meet an infinity.
    const bool may_be_delta = !g->by_weights || (seed % 2 == 1 && meets_no_padding(g->forward));
    return may_be_delta ? Input::kDiffDst : Input::kSrc;
  }
  return seed % 2 == 1 && may_plant_in_weights(order) ? Input::kWeights : Input::kSrc;
}

}  // namespace

bool has_special_fill(const Problem& problem) {
  if (const auto* a = std::get_if<ContinuousAttributes>(&problem.attributes)) {
    return a->function != KernelFunction::kKeys;
  }
  if (const auto* a = std::get_if<ContinuousBackwardDataAttributes>(&problem.attributes)) {
    return a->function != KernelFunction::kKeys;
  }
  const Operation operation = problem.operation();
  return operation != Operation::kContinuousBackwardWeights &&
         operation != Operation::kContinuousBackwardGrid && operation != Operation::kAtrousChain &&
         operation != Operation::kContinuousChain;
}

Inputs fill_special_form(const FormOrder& order) {
  const bool continuous = is_continuous(order.problem.operation());
  Inputs ordinary =
      fill_inputs(Fill::kUniform, order.seed, order.problem, order.resolution, order.arithmetic);
  if (!continuous) {
    Xoshiro random(order.seed, kZeroStream);
    make_some_zero(random, ordinary.src);
    make_some_zero(random, ordinary.weights);
    make_some_zero(random, ordinary.diff_dst);
  }
  for (std::uint64_t attempt = 0; attempt < kSpecialAttempts; ++attempt) {
    const std::uint64_t seed = order.seed + attempt;
    const Input input = planted_input(order, seed);
    Inputs inputs = ordinary;
    std::vector<double>& values = inputs.of(input);
    std::size_t begin = 0, count = values.size();
    if (count == 0) break;
    Xoshiro random(seed, kPlaceStream);
    if (input == Input::kWeights) {  // in one run alone
      const auto& g = std::get<reference::CntkGeometry>(order.resolution.form);
      count = static_cast<std::size_t>(g.kernel_size);
      begin = static_cast<std::size_t>(random.below(g.kernel_count)) * count;
    }
    const auto all = specials_of(order);
    plant(attempt < kSpecialAttemptsWithAll ? all : all.subspan(attempt % all.size(), 1), random,
          values, begin, count);
    if (tells_apart(order, inputs)) return inputs;
  }
  return ordinary;
}

}  // namespace concord::conformance
