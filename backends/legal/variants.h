// SPDX-License-Identifier: Apache-2.0
// The ways of adding that the backend knows: each is legal by the arithmetic that it declares.
#ifndef CONCORD_BACKENDS_LEGAL_VARIANTS_H_
#define CONCORD_BACKENDS_LEGAL_VARIANTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "plugin/concord_plugin.h"
#include "spec/dtype.h"

namespace concord::backends::legal {

/// What one output is the sum of: the products x[i] * w[i], all taps of a channel, then those of
/// the next, and a bias.
template <class T>
struct Terms {
  std::span<const T> x, w;
  std::size_t channels;
  std::optional<T> bias;
  Dtype dtype;              ///< of the tensors
  int threads;              ///< that the backend may use
  std::size_t output;       ///< its place in dst
  std::uint64_t execution;  ///< another one each time
};

/// What a tap outside src adds: nothing, or its weight times zero.
enum class Padding { kSkipped, kMultiplied, kRowsSkipped };

/// The direction of every operation of an output's sum; kAlternating: up in one output, down in the
/// next.
enum class Direction { kNearest, kZero, kAlternating };

struct Variant {
  std::string_view name;
  const char* sentence;
  /// The sum in the wider of T and the variant's accumulator, to be rounded once to the dtype.
  double (*sum_f32)(const Terms<float>&);
  double (*sum_f64)(const Terms<double>&);
  concord_arithmetic arithmetic{};
  Padding padding = Padding::kSkipped;
  Direction direction = Direction::kNearest;
  bool same_bits_any_threads = true;
  bool bits_vary_by_run = false;
  bool f32_only = false;  ///< the class is one of f32 tensors
};

std::span<const Variant> variants();

}  // namespace concord::backends::legal

#endif  // CONCORD_BACKENDS_LEGAL_VARIANTS_H_
