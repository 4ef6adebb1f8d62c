// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and in every release of a standard library.
#ifndef CONCORD_CONFORMANCE_FILL_XOSHIRO_H_
#define CONCORD_CONFORMANCE_FILL_XOSHIRO_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "spec/tensor.h"

namespace concord::conformance {

/// xoshiro256** seeded by splitmix64. Streams of one seed are independent of one another.
/// Source  Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021
class Xoshiro {
 public:
  explicit Xoshiro(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  /// Uniform in 0..bound-1, without bias. Shapes: bound >= 1
  Extent below(Extent bound);
  /// Uniform in first..last, both included.
  Extent between(Extent first, Extent last) { return first + below(last - first + 1); }
  /// Uniform multiple of 2^-53 in [0, 1).
  double unit();
  /// +1 or -1: +1 in `ups` of `of` draws.
  Extent sign(Extent ups = 1, Extent of = 2) { return below(of) < ups ? 1 : -1; }
  /// A sign as sign() draws it, and then a magnitude of 1..largest.
  double signed_integer(Extent largest, Extent ups = 1, Extent of = 2) {
    const Extent drawn = sign(ups, of);  // first: operands of one expression have no order
    return static_cast<double>(drawn * between(1, largest));
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (Extent i = static_cast<Extent>(values.size()); i > 1; --i) {
      std::swap(values[static_cast<std::size_t>(i - 1)],
                values[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_XOSHIRO_H_
