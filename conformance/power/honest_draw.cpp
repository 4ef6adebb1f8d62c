// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/error_bound.h"
#include "conformance/power/honest_library.h"

namespace concord::conformance {
namespace {

bool one_in(Extent count, Xoshiro& random) { return random.below(count) == 0; }

// A word is declared by one library in two or fewer: so classes of few words are common and any
// combination of them occurs.
concord_arithmetic draw_class(Xoshiro& random) {
  const auto word = [&](Extent one_of, Extent values) {
    return static_cast<std::int32_t>(one_in(one_of, random) ? 1 + random.below(values - 1) : 0);
  };
  constexpr std::int32_t kSums[] = {CONCORD_ROUND_NEAREST, CONCORD_ROUND_ZERO,
                                    CONCORD_ROUND_FAITHFUL};
  concord_arithmetic drawn{};
  drawn.input_precision = word(3, 4);
  drawn.accumulator = word(2, 4);
  drawn.accumulator_rounding = kSums[word(2, 3)];
  drawn.output_rounding = word(3, 3);
  drawn.flushes_subnormals = word(3, 2);
  drawn.algorithm = word(4, 2);
  drawn.bias = word(4, 2);
  drawn.zero_weights = word(6, 2);
  return drawn;
}

UnitFormat draw_unit(Dtype dtype, const concord_arithmetic& declared, Xoshiro& random) {
  constexpr Dtype kAccumulators[] = {Dtype::kF32, Dtype::kF64, Dtype::kF16, Dtype::kBF16};
  UnitFormat unit;
  unit.kept = dtype == Dtype::kF64 ? dtype : kAccumulators[declared.accumulator];
  if (declared.accumulator_rounding == CONCORD_ROUND_ZERO) unit.direction = Direction::kZero;
  if (declared.accumulator_rounding == CONCORD_ROUND_FAITHFUL) {
    unit.direction = static_cast<Direction>(random.below(5));
  }
  unit.through_f32 = format_of(unit.kept).bytes == 2 && one_in(2, random);
  unit.flushes = declared.flushes_subnormals != 0 && !one_in(3, random);
  unit.flushes_early = unit.flushes && unit.kept != Dtype::kF64 && one_in(2, random);
  return unit;
}

// Most of 8 elements an axis or fewer, for transforms take long; up to 64 in two axes, 16 in one.
void draw_fourier_tile(HonestLibrary& library, Xoshiro& random) {
  Extent n = one_in(3, random) ? 4 : 8;
  while (n >= 8 && n < 64 && one_in(5, random)) n *= 2;
  constexpr Extent kWidestOfOneAxis = 16, kMostTaps = 7;
  library.fourier = true;
  library.tile_axes = n > kWidestOfOneAxis || one_in(2, random) ? 2 : 1;
  library.tile_taps = 2 + random.below(std::min(n, kMostTaps) - 1);
  library.tile = n - library.tile_taps + 1;
}

// In how many axes, and how many outputs and taps a tile has. Half of them have 3 taps. Of coarser
// arithmetic only smaller tiles are derived.
void draw_tile(HonestLibrary& library, Xoshiro& random) {
  const bool coarse = demotion_of(library.dtype, library.computed).error > 0 ||
                      accumulator_of(library.dtype, library.computed).bits < 24;
  if (!coarse && one_in(8, random)) return draw_fourier_tile(library, random);
  const Extent widest = coarse ? 6 : 8;
  library.tile_taps = one_in(2, random) ? 3 : 2 + random.below(widest - 2);
  library.tile = 2 + random.below(widest - library.tile_taps);
  library.tile_axes = static_cast<std::size_t>(1 + random.below(2));
}

}  // namespace

HonestLibrary draw_library(Xoshiro& random) {
  constexpr Dtype kDtypes[] = {Dtype::kF32, Dtype::kF32, Dtype::kF16, Dtype::kBF16, Dtype::kF64};
  HonestLibrary library;
  library.dtype = kDtypes[random.below(std::ssize(kDtypes))];
  library.computed = library.declared = draw_class(random);
  library.unit = draw_unit(library.dtype, library.computed, random);
  const bool aligns =
      accumulator_of(library.dtype, library.computed).faithful && library.unit.kept != Dtype::kF64;
  library.summation = kSummations[static_cast<std::size_t>(
      random.below(std::ssize(kSummations) - (aligns ? 0 : 1)))];
  static_assert(kSummations.back() == Summation::kAligned);
  library.block = std::size_t{1} << random.below(6);
  const bool has_fused =
      library.unit.kept != Dtype::kF64 || library.unit.direction == Direction::kNearest;
  library.fused = has_fused && one_in(2, random);
  library.bias_first = one_in(2, random);
  library.balanced = one_in(2, random);
  library.backwards = one_in(4, random);
  library.shuffled = one_in(4, random);
  library.parts_apart = one_in(2, random);
  library.demotion = one_in(2, random) ? Rounding::kZero : Rounding::kNearest;
  library.flushes_inputs = library.computed.flushes_subnormals != 0 && one_in(2, random);
  for (bool& axis : library.multiplies) axis = one_in(2, random);
  if (is_bilinear(library.computed) && !one_in(4, random)) draw_tile(library, random);
  return library;
}

std::string describe(const HonestLibrary& library) {
  constexpr std::array<std::string_view, 5> kNeighbours{"nearest", "zero", "away", "odd", "any"};
  std::string text = fmt::format("{} {}: ", to_string(library.dtype), print(library.declared));
  if (library.tile != 0) {
    text += fmt::format("{}({}, {}) in {} axes", library.fourier ? "Fourier " : "F", library.tile,
                        library.tile_taps, library.tile_axes);
  } else {
    text += fmt::format("{} of {}", to_string(library.summation), library.block);
  }
  text += fmt::format(", rounds to {}",
                      kNeighbours.at(static_cast<std::size_t>(library.unit.direction)));
  const auto say = [&](bool holds, std::string_view words) {
    if (holds) text += fmt::format(", {}", words);
  };
  say(library.fused, "fused");
  say(library.bias_first, "bias first");
  say(library.summation == Summation::kTree && library.balanced, "balanced");
  say(library.backwards, "backwards");
  say(library.shuffled, "shuffled");
  say(library.parts_apart, "parts apart");
  say(library.unit.through_f32, "through f32");
  say(library.unit.flushes, "flushes");
  say(library.unit.flushes_early, "early");
  say(library.flushes_inputs, "flushes inputs");
  say(library.demotion == Rounding::kZero, "inputs cut off");
  return text;
}

}  // namespace concord::conformance
