// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/fill.h"

#include <algorithm>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/xoshiro.h"
#include "spec/check.h"

namespace concord::conformance {

Inputs fill_inputs(Fill fill, std::uint64_t seed, Dtype dtype, const reference::Geometry& geometry,
                   bool has_bias, const concord_arithmetic& arithmetic) {
  const FillOrder order{seed, dtype, geometry, has_bias, arithmetic};
  switch (fill) {
    case Fill::kIntegers:
      return fill_integers(order);
    case Fill::kImpulse:
      return fill_impulse(order);
    case Fill::kRamp:
      return fill_ramp(order);
    case Fill::kSubnormal:
      return fill_subnormal(order);
    case Fill::kSparse:
      return fill_sparse(order);
    case Fill::kUniform:
      return fill_uniform(order);
    case Fill::kWide:
      return fill_wide(order);
    case Fill::kSpecial:
      return fill_special(order);
    case Fill::kOverflow:
      return dtype == Dtype::kF64 ? fill_uniform(order) : fill_overflow(order);
    case Fill::kRecorded:
      break;  // has data of its own
  }
  CONCORD_CHECK(false) << "fill " << static_cast<int>(fill);
  return {};
}

bool is_exact(Fill fill, const concord_arithmetic& arithmetic) {
  return (fill == Fill::kIntegers || fill == Fill::kImpulse || fill == Fill::kRamp ||
          fill == Fill::kSubnormal || fill == Fill::kSparse) &&
         !is_bilinear(arithmetic);
}

bool has_special_results(Fill fill) { return fill == Fill::kSpecial || fill == Fill::kOverflow; }

std::optional<std::string> why_no_fill(Fill fill, const Problem& problem) {
  const std::string operation(to_string(problem.operation()));
  if (fill == Fill::kOverflow && !is_discrete(problem.operation())) {
    return operation + " has none: which of its sums overflow depends on their order";
  }
  if (fill == Fill::kOverflow && problem.dtype == Dtype::kF64) {
    return operation + " has none in f64: the reference has no larger numbers to judge them by";
  }
  if (fill == Fill::kSpecial && !has_special_fill(problem)) {
    return operation + " has none: its formula does not say where NaN goes";
  }
  // Sums of inputs by weights that do not come from a cubic or from the net's own gradients.
  const bool is_chain = problem.operation() == Operation::kAtrousChain;
  if (fill == Fill::kSubnormal && !is_chain && !has_special_fill(problem)) {
    return operation + " has none: its sums underflow, and are exact for no such data";
  }
  return std::nullopt;
}

bool has_random_signs(Fill fill) { return fill == Fill::kUniform || fill == Fill::kWide; }

bool is_exact(Fill fill, const reference::Resolution& resolution,
              const concord_arithmetic& arithmetic) {
  // What is only moved is never rounded, whatever it is.
  if (std::holds_alternative<reference::Rearrangement>(resolution.form)) return true;
  return resolution.has_exact_data && is_exact(fill, arithmetic);
}

namespace {

// True if what a channel is filled with depends on its own value of bias, or on there being none.
bool goes_by_bias(Fill fill) {
  switch (fill) {
    case Fill::kIntegers:
    case Fill::kRamp:
    case Fill::kSubnormal:
    case Fill::kUniform:
    case Fill::kWide:
      return false;
    default:
      return true;
  }
}

// A bias of one element is added to all channels: it is the first value, and 0 where channels go by
// their own.
Inputs fill_discrete(Fill fill, std::uint64_t seed, const Problem& problem,
                     const reference::Geometry& geometry, const concord_arithmetic& arithmetic) {
  const bool is_single = problem.bias && geometry.OC != 1 && problem.bias->dims == Extents{1};
  const bool has_bias = problem.bias.has_value() && !(is_single && goes_by_bias(fill));
  Inputs inputs = fill_inputs(fill, seed, problem.dtype, geometry, has_bias, arithmetic);
  if (is_single) inputs.bias.resize(1);
  return inputs;
}

}  // namespace

Inputs fill_inputs(Fill fill, std::uint64_t seed, const Problem& problem,
                   const reference::Resolution& resolution, const concord_arithmetic& arithmetic) {
  if (const auto* geometry = std::get_if<reference::Geometry>(&resolution.form)) {
    return fill_discrete(fill, seed, problem, *geometry, arithmetic);
  }
  const FormOrder order{fill, seed, problem, resolution, arithmetic};
  if (fill == Fill::kSpecial) return fill_special_form(order);
  if (problem.operation() == Operation::kContinuousChain) return fill_continuous_chain(order);
  if (is_continuous(problem.operation())) return fill_continuous(order);
  if (problem.operation() == Operation::kAtrousChain) return fill_chain(order);
  if (has_diff_dst(problem.operation())) return fill_cntk_gradient(order);
  return fill_runs(order);
}

Inputs make_zeros(const FillOrder& order) {
  const reference::Geometry& g = order.geometry;
  const auto zeros = [](Extent count) {
    return std::vector<double>(static_cast<std::size_t>(count));
  };
  return {zeros(g.N * g.IC * reference::volume(g.I)), zeros(g.OC * g.products()),
          zeros(order.has_bias ? g.OC : 0)};
}

Inputs make_zeros(const Problem& problem) {
  Inputs inputs;
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor == nullptr) continue;
    inputs.of(input).assign(static_cast<std::size_t>(element_count(tensor->dims).value()), 0.0);
  }
  return inputs;
}

std::vector<std::vector<Extent>> deal_taps(const reference::Geometry& geometry,
                                           const std::vector<Extent>& taps, Extent count,
                                           std::uint64_t seed) {
  return deal_taps(geometry.OC, geometry.OCG(), taps, count, seed);
}

std::vector<std::vector<Extent>> deal_taps(Extent runs, Extent group,
                                           const std::vector<Extent>& taps, Extent count,
                                           std::uint64_t seed) {
  CONCORD_CHECK(count >= 0 && count <= static_cast<Extent>(taps.size())) << count;
  Xoshiro random(seed, 17);
  std::vector<std::vector<Extent>> dealt(static_cast<std::size_t>(runs));
  if (count == static_cast<Extent>(taps.size())) {
    std::fill(dealt.begin(), dealt.end(), taps);
    return dealt;
  }
  std::vector<Extent> deck;
  for (Extent oc = 0; oc < runs; ++oc) {
    // A channel gets no tap twice: it takes from one deck, and a new deck when that is too small.
    const bool new_group = oc % group == 0;
    if (new_group || static_cast<Extent>(deck.size()) < count) {
      deck = taps;
      random.shuffle(deck);
    }
    auto& hand = dealt[static_cast<std::size_t>(oc)];
    hand.assign(deck.end() - count, deck.end());
    deck.resize(deck.size() - static_cast<std::size_t>(count));
  }
  return dealt;
}

std::vector<Meeting> meetings(const reference::Geometry& g, std::size_t axis) {
  std::vector<Meeting> found;
  for (Extent o = 0; o < g.O[axis]; ++o) {
    for (Extent k = 0; k < g.K[axis]; ++k) {
      const Extent i = o * g.S[axis] + k * g.D[axis] - g.P_begin[axis];
      if (i >= 0 && i < g.I[axis]) found.push_back({o, k, i});
    }
  }
  return found;
}

}  // namespace concord::conformance
