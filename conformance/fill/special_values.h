// SPDX-License-Identifier: Apache-2.0
// NaN and infinities among the inputs, for judge_special().
#ifndef CONCORD_CONFORMANCE_FILL_SPECIAL_VALUES_H_
#define CONCORD_CONFORMANCE_FILL_SPECIAL_VALUES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/fill/fill.h"
#include "conformance/fill/xoshiro.h"

namespace concord::conformance {

/// Which tensor special values are planted in.
enum class SpecialPlace { kSrc, kWeights };

/// NaN, Inf and -Inf.
std::span<const double> special_values();

/// Small problems take a few attempts, and then a single special value in place of three.
inline constexpr std::uint64_t kSpecialAttempts = 24, kSpecialAttemptsWithAll = 16;

/// The streams of random numbers of make_some_zero() and of the channel whose bias is special.
inline constexpr std::uint64_t kZeroStream = 31, kBiasStream = 37;
/// Makes zeros of some values, of either sign.
void make_some_zero(Xoshiro& random, std::vector<double>& values);

/// Plants each of `values` at an element that some output sees: in src anywhere, but the second and
/// the third at the end and at the beginning of a row, so that the windows beside those that see
/// them show what is read beyond a window; or two in weights of one output channel, so that the
/// other channels stay clean, and the third at the end of a row of src. Where fewer elements are
/// seen than there are values, what is planted first may be overwritten. Nothing if no element is
/// seen.
/// Shapes  `inputs` as fill_inputs() makes them for `geometry`
void plant_values(std::span<const double> values, SpecialPlace place, std::uint64_t seed,
                  const reference::Geometry& geometry, Inputs& inputs);

/// True if what is not finite in src and weights reaches some outputs, and does not make the same
/// of all of them: finite, NaN, Inf or -Inf. A dst of one element can only be reached. The outputs
/// of channel `but`, if any, do not count.
/// Shapes  as above
bool tells_outputs_apart(const reference::Geometry& geometry, const Inputs& inputs,
                         std::optional<Extent> but = std::nullopt);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_SPECIAL_VALUES_H_
