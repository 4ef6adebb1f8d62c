// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/special_values.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {
namespace {

// In half of the cases, at one output channel: it shows what a library makes of a bias that is not
// finite, whatever its products are. The other channels show what src and weights do.
void plant_in_bias(const FillOrder& order, Inputs& inputs) {
  const std::uint64_t lot = order.seed / 2;  // of the seed's other bits than the input
  if (!order.has_bias || order.geometry.OC < 2 || lot % 2 != 0) return;
  Xoshiro random(order.seed, kBiasStream);
  const auto values = special_values();
  const double value = values[static_cast<std::size_t>(random.below(std::ssize(values)))];
  const Extent first = random.below(order.geometry.OC);
  for (const Extent next : {0, 1}) {
    const Extent channel = (first + next) % order.geometry.OC;
    if (!tells_outputs_apart(order.geometry, inputs, channel)) continue;
    inputs.bias[static_cast<std::size_t>(channel)] = value;
    return;
  }
}

}  // namespace

// The zeros are there to meet infinities: their product is NaN, and a library must not skip it.
Inputs fill_special(const FillOrder& order) {
  Inputs ordinary = fill_uniform(order);
  Xoshiro random(order.seed, kZeroStream);
  make_some_zero(random, ordinary.src);
  make_some_zero(random, ordinary.weights);
  for (std::uint64_t attempt = 0; attempt < kSpecialAttempts; ++attempt) {
    const std::uint64_t seed = order.seed + attempt;
    // What is not finite in the weights of the only channel would reach every output.
    const bool in_src = seed % 2 == 0 || order.geometry.OC < 2;
    const auto all = special_values();
    const auto values =
        attempt < kSpecialAttemptsWithAll ? all : all.subspan(attempt % all.size(), 1);
    Inputs inputs = ordinary;
    plant_values(values, in_src ? SpecialPlace::kSrc : SpecialPlace::kWeights, seed, order.geometry,
                 inputs);
    if (!tells_outputs_apart(order.geometry, inputs)) continue;
    plant_in_bias(order, inputs);
    return inputs;
  }
  return ordinary;  // every window lies in the padding, or all see the same
}

}  // namespace concord::conformance
