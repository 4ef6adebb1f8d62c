// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/fill_kinds.h"
#include "conformance/fill/special_values.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {
namespace {

constexpr std::uint64_t kZeroStream = 31;
constexpr Extent kOneZeroIn = 8;
// Small problems take a few attempts, and then a single special value in place of three.
constexpr std::uint64_t kAttempts = 24, kAttemptsWithAll = 16;

void make_some_zero(Xoshiro& random, std::vector<double>& values) {
  for (double& value : values) {
    if (random.below(kOneZeroIn) == 0) value = random.sign() > 0 ? 0.0 : -0.0;
  }
}

}  // namespace

// The zeros are there to meet infinities: their product is NaN, and a library must not skip it.
Inputs fill_special(const FillOrder& order) {
  Inputs ordinary = fill_uniform(order);
  Xoshiro random(order.seed, kZeroStream);
  make_some_zero(random, ordinary.src);
  make_some_zero(random, ordinary.weights);
  for (std::uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint64_t seed = order.seed + attempt;
    // What is not finite in the weights of the only channel would reach every output.
    const bool in_src = seed % 2 == 0 || order.geometry.OC < 2;
    const auto all = special_values();
    const auto values = attempt < kAttemptsWithAll ? all : all.subspan(attempt % all.size(), 1);
    Inputs inputs = ordinary;
    plant_values(values, in_src ? SpecialPlace::kSrc : SpecialPlace::kWeights, seed, order.geometry,
                 inputs);
    if (tells_outputs_apart(order.geometry, inputs)) return inputs;
  }
  return ordinary;  // every window lies in the padding, or all see the same
}

}  // namespace concord::conformance
