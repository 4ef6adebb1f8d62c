// SPDX-License-Identifier: Apache-2.0
// Sums of products as libraries compute them, to measure the judge by: every class of arithmetic,
// in several orders of summation.
#ifndef CONCORD_CONFORMANCE_POWER_SIMULATED_ARITHMETIC_H_
#define CONCORD_CONFORMANCE_POWER_SIMULATED_ARITHMETIC_H_

#include <optional>
#include <span>
#include <string>

#include "spec/dtype.h"
#include "spec/rounding.h"

namespace concord::conformance {

/// In which order and association products are added. kAligned: as matrix units do, eight products
/// at a time, cut off at the last bit of the largest of them and of the sum so far.
enum class Order { kChain, kFusedChain, kPairwise, kSixteenLanes, kAligned };

/// How numbers are rounded to the accumulator's format.
struct SimulatedAccumulator {
  int bits = 24;  ///< 24, 53, 11 or 8; or any other number, with the exponents of f64
  Rounding rounding = Rounding::kNearest;
  bool through_f32 = false;  ///< each result is rounded to f32 first
  bool flushes = false;      ///< a subnormal result counts as zero

  double round(double value) const;
  /// The sum of `sum` and `terms`, each cut off at the last bit of the largest, and then rounded.
  double add_aligned(double sum, std::span<const double> terms) const;
};

/// How inputs are rounded before they are multiplied: to 0 (not at all) or so many bits.
struct SimulatedInput {
  int bits = 0;
  Rounding rounding = Rounding::kNearest;
  bool split = false;  ///< into a high and a low part; three products
};

struct Simulation {
  std::string name;
  std::string arithmetic;  ///< the class that it is, as parse_arithmetic() reads it
  Dtype dtype;
  Order order = Order::kChain;
  SimulatedAccumulator accumulator{};
  SimulatedInput input{};
  Rounding store = Rounding::kNearest;
  bool late_bias = false;  ///< added, in f32, to what was stored, and stored again
  /// How products are rounded that are not fused; nothing: as sums are.
  std::optional<SimulatedAccumulator> multiplier{};

  /// What is stored of a sum, and of a bias that is added to that late.
  double stored(double sum, double late) const;
  /// bias + sum of x[i] w[i], rounded to the dtype.
  double dot(std::span<const double> x, std::span<const double> w, double bias) const;
};

/// Every class of arithmetic on every dtype that it makes sense for.
std::span<const Simulation> simulations();
/// The simulation of that name, which exists.
const Simulation& simulation(const std::string& name);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_SIMULATED_ARITHMETIC_H_
