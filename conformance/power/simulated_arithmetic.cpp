// SPDX-License-Identifier: Apache-2.0
#include "conformance/power/simulated_arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "spec/check.h"

namespace concord::conformance {
namespace {

double add_blocks(std::span<const double> terms, double sum,
                  const SimulatedAccumulator& accumulator) {
  constexpr std::size_t kBlock = 8;
  for (std::size_t begin = 0; begin < terms.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, terms.size() - begin);
    sum = accumulator.add_aligned(sum, terms.subspan(begin, count));
  }
  return sum;
}

// Adds the terms with one rounding each, in the order's association. Fused terms are exact products
// that have not been rounded themselves.
double add_up(std::vector<double> terms, double bias, Order order,
              const SimulatedAccumulator& accumulator) {
  const auto chain = [&](std::span<const double> values, double sum) {
    for (const double value : values) sum = accumulator.round(sum + value);
    return sum;
  };
  if (order == Order::kChain || order == Order::kFusedChain) return chain(terms, bias);
  if (order == Order::kAligned) return add_blocks(terms, bias, accumulator);
  if (order == Order::kSixteenLanes) {
    std::array<double, 16> lanes{};
    for (std::size_t i = 0; i < terms.size(); ++i) {
      lanes[i % 16] = accumulator.round(lanes[i % 16] + terms[i]);
    }
    return accumulator.round(chain(lanes, 0) + bias);
  }
  while (terms.size() > 1) {  // kPairwise
    std::size_t half = terms.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      terms[i] = accumulator.round(terms[2 * i] + terms[2 * i + 1]);
    }
    if (terms.size() % 2 == 1) terms[half++] = terms.back();
    terms.resize(half);
  }
  return accumulator.round((terms.empty() ? 0 : terms.front()) + bias);
}

double demote(const SimulatedInput& input, double value) {
  return input.bits == 0 ? value : round_to_bits(input.bits, value, input.rounding);
}

constexpr SimulatedAccumulator kF32{24, Rounding::kNearest, false};
constexpr SimulatedAccumulator kF32Zero{24, Rounding::kZero, false};
constexpr SimulatedAccumulator kF32Away{24, Rounding::kAway, false};
constexpr SimulatedAccumulator kF32Flushing{24, Rounding::kNearest, false, true};
constexpr SimulatedAccumulator kF64{53, Rounding::kNearest, false};
constexpr SimulatedAccumulator kF16{11, Rounding::kNearest, false};
constexpr SimulatedAccumulator kF16ByF32{11, Rounding::kNearest, true};
constexpr SimulatedAccumulator kBF16{8, Rounding::kNearest, false};
constexpr SimulatedAccumulator kBF16Zero{8, Rounding::kZero, true};
constexpr Rounding kNear = Rounding::kNearest;
constexpr Rounding kCut = Rounding::kZero;
constexpr Rounding kAway = Rounding::kNearestAway;

// The bias takes part in the sum.
std::vector<Simulation> bias_in_sum() {
  using enum Order;
  const Dtype f32 = Dtype::kF32;
  const Dtype f16 = Dtype::kF16;
  const Dtype bf16 = Dtype::kBF16;
  return {
      {"f32 chain", "strict", f32, kChain, kF32, {}, kNear},
      {"f32 fused", "strict", f32, kFusedChain, kF32, {}, kNear},
      {"f32 pairwise", "strict", f32, kPairwise, kF32, {}, kNear},
      {"f32 lanes", "strict", f32, kSixteenLanes, kF32, {}, kNear},
      {"f32 flushing", "flush", f32, kFusedChain, kF32Flushing, {}, kNear},
      {"f64", "f64-accumulate", f32, kChain, kF64, {}, kNear},
      {"f32 toward zero", "accumulator_rounding=zero", f32, kChain, kF32Zero, {}, kNear},
      {"tf32", "tf32", f32, kFusedChain, kF32, {11, kNear, false}, kNear},
      {"tf32 cut", "tf32", f32, kSixteenLanes, kF32, {11, kCut, false}, kNear},
      {"bf16 inputs", "bf16", f32, kFusedChain, kF32, {8, kNear, false}, kNear},
      {"bf16x3", "bf16x3", f32, kFusedChain, kF32, {8, kNear, true}, kNear},
      {"bf16x3 cut", "bf16x3", f32, kChain, kF32, {8, kCut, true}, kNear},
      {"f16 by f32", "strict", f16, kFusedChain, kF32, {}, kNear},
      {"f16 by f16", "f16-accumulate", f16, kFusedChain, kF16ByF32, {}, kNear},
      {"f16 by f16 pairwise", "f16-accumulate", f16, kPairwise, kF16, {}, kNear},
      {"f16 cut", "output_rounding=zero", f16, kFusedChain, kF32, {}, kCut},
      {"bf16 by f32", "strict", bf16, kSixteenLanes, kF32, {}, kNear},
      {"bf16 by bf16", "bf16-accumulate", bf16, kFusedChain, kBF16, {}, kNear},
      {"bf16 by bf16 cut",
       "bf16-accumulate,accumulator_rounding=zero",
       bf16,
       kChain,
       kBF16Zero,
       {},
       kNear},
      {"bf16 cut", "output_rounding=zero", bf16, kFusedChain, kF32, {}, kCut},
      {"bf16 away", "output_rounding=nearest_away", bf16, kFusedChain, kF32, {}, kAway},
      {"f16 away", "output_rounding=nearest_away", f16, kSixteenLanes, kF32, {}, kAway},
  };
}

// To either neighbour, and with terms cut off when they are aligned.
std::vector<Simulation> faithful() {
  using enum Order;
  const char* const name = "accumulator_rounding=faithful";
  return {
      {"f32 away from zero", name, Dtype::kF32, kFusedChain, kF32Away, {}, kNear},
      {"f32 aligned", name, Dtype::kF32, kAligned, kF32Zero, {}, kNear},
      {"f16 aligned", name, Dtype::kF16, kAligned, kF32Zero, {}, kNear},
      {"bf16 aligned", name, Dtype::kBF16, kAligned, kF32Zero, {}, kNear},
      {"tf32 aligned",
       "input=tf32,accumulator_rounding=faithful",
       Dtype::kF32,
       kAligned,
       kF32Zero,
       {11, kCut, false},
       kNear},
      {"bf16 aligned late bias",
       "accumulator_rounding=faithful,bias=after_store",
       Dtype::kBF16,
       kAligned,
       kF32Zero,
       {},
       kNear,
       true},
  };
}

// The bias is added to what has been stored.
std::vector<Simulation> late_bias() {
  using enum Order;
  const Dtype f32 = Dtype::kF32;
  const Dtype f16 = Dtype::kF16;
  const Dtype bf16 = Dtype::kBF16;
  return {
      {"bf16 late bias", "bias=after_store", bf16, kFusedChain, kF32, {}, kNear, true},
      {"f16 late bias", "bias=after_store", f16, kPairwise, kF32, {}, kNear, true},
      {"f16 by f16 late bias",
       "f16-accumulate,bias=after_store",
       f16,
       kFusedChain,
       kF16ByF32,
       {},
       kNear,
       true},
      {"f32 of f64 late bias",
       "f64-accumulate,bias=after_store",
       f32,
       kChain,
       kF64,
       {},
       kNear,
       true},
      {"f32 late bias", "bias=after_store", f32, kSixteenLanes, kF32, {}, kNear, true},
      {"bf16 cut late bias",
       "output_rounding=zero,bias=after_store",
       bf16,
       kFusedChain,
       kF32,
       {},
       kCut,
       true},
      {"bf16 away late bias",
       "output_rounding=nearest_away,bias=after_store",
       bf16,
       kFusedChain,
       kF32,
       {},
       kAway,
       true},
  };
}

std::vector<Simulation> make_simulations() {
  std::vector<Simulation> all = bias_in_sum();
  for (Simulation& each : faithful()) all.push_back(std::move(each));
  for (Simulation& each : late_bias()) all.push_back(std::move(each));
  return all;
}

}  // namespace

double SimulatedAccumulator::round(double value) const {
  if (bits == 53) return value;
  if (bits != 24 && bits != 11 && bits != 8) return round_to_bits(bits, value, rounding);
  if (bits == 24 || through_f32) {
    value = rounding == Rounding::kNearest ? static_cast<double>(static_cast<float>(value))
                                           : round_to(Dtype::kF32, value, rounding);
  }
  if (flushes && std::fabs(value) < std::ldexp(1.0, format_of(Dtype::kF32).min_exponent)) return 0;
  if (bits == 24) return value;
  return round_to(bits == 11 ? Dtype::kF16 : Dtype::kBF16, value, rounding);
}

double SimulatedAccumulator::add_aligned(double sum, std::span<const double> terms) const {
  double largest = std::fabs(sum);
  for (const double term : terms) largest = std::max(largest, std::fabs(term));
  if (largest == 0) return 0;
  const int last = std::ilogb(largest) + 1 - bits;
  const auto cut = [&](double value) { return std::trunc(std::ldexp(value, -last)); };
  double total = cut(sum);
  for (const double term : terms) total += cut(term);
  return round(std::ldexp(total, last));
}

double Simulation::stored(double sum, double late) const {
  const double once = round_to(dtype, sum, store);
  return late_bias ? round_to(dtype, round_to(Dtype::kF32, once + late), store) : once;
}

double Simulation::dot(std::span<const double> x, std::span<const double> w, double bias) const {
  std::vector<double> terms;
  terms.reserve(x.size() * (input.split ? 3 : 1));
  const auto add = [&](double a, double b) {
    const bool fused = order == Order::kFusedChain || order == Order::kAligned;
    terms.push_back(fused ? a * b : multiplier.value_or(accumulator).round(a * b));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = demote(input, x[i]);
    const double b = demote(input, w[i]);
    add(a, b);
    if (!input.split) continue;
    add(a, demote(input, w[i] - b));
    add(demote(input, x[i] - a), b);
  }
  return stored(add_up(std::move(terms), late_bias ? 0 : bias, order, accumulator), bias);
}

std::span<const Simulation> simulations() {
  static const std::vector<Simulation> all = make_simulations();
  return all;
}

const Simulation& simulation(const std::string& name) {
  for (const Simulation& candidate : simulations()) {
    if (candidate.name == name) return candidate;
  }
  CONCORD_CHECK(false) << "no simulation is called " << name;
  return simulations().front();
}

}  // namespace concord::conformance
