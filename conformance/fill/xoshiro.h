// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and in every release of a standard library.
#ifndef CONCORD_CONFORMANCE_FILL_XOSHIRO_H_
#define CONCORD_CONFORMANCE_FILL_XOSHIRO_H_

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "spec/tensor.h"

namespace concord::conformance {

/// The multiple of 2^-53 in [0, 1) that a draw stands for.
inline double unit_of(std::uint64_t draw) { return static_cast<double>(draw >> 11) * 0x1p-53; }

/// xoshiro256** seeded by splitmix64. Streams of one seed are independent of one another.
/// Source  Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021
class Xoshiro {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Xoshiro(std::uint64_t seed, std::uint64_t stream = 0);
  explicit Xoshiro(const State& state) : state_(state) {}

  const State& state() const { return state_; }
  /// Goes on by as many draws as the power of x has that `polynomial` is, modulo the characteristic
  /// polynomial of the step; its lowest bit comes first.
  void jump(const State& polynomial);
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform in 0..bound-1, without bias. Shapes: bound >= 1
  Extent below(Extent bound);
  /// Uniform in first..last, both included.
  Extent between(Extent first, Extent last) { return first + below(last - first + 1); }
  /// Uniform multiple of 2^-53 in [0, 1).
  double unit() { return unit_of(next()); }
  /// +1 or -1: +1 in `ups` of `of` draws.
  Extent sign(Extent ups = 1, Extent of = 2) { return below(of) < ups ? 1 : -1; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (Extent i = static_cast<Extent>(values.size()); i > 1; --i) {
      std::swap(values[static_cast<std::size_t>(i - 1)],
                values[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  State state_;
};

/// Draws what Xoshiro::below() would of one bound, many times: without divisions.
class Below {
 public:
  /// Shapes: bound >= 1
  explicit Below(Extent bound);

  /// `random` is a Xoshiro, or what has its draws.
  template <class Random>
  Extent operator()(Random& random) const {
    std::uint64_t draw = random.next();
    while (draw < excess_) draw = random.next();
    // floor((2^64 - 1) / range) is at least 2^64 / range - 1: so the quotient is the right one or
    // one less, and what remains is less than twice the range.
    const auto quotient = static_cast<std::uint64_t>(Wide{draw} * reciprocal_ >> 64);
    const std::uint64_t rest = draw - quotient * range_;
    return static_cast<Extent>(rest < range_ ? rest : rest - range_);
  }
  std::uint64_t range() const { return range_; }
  /// Draws below it are dropped.
  std::uint64_t excess() const { return excess_; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t range_;
  std::uint64_t excess_;      ///< 2^64 mod range
  std::uint64_t reciprocal_;  ///< floor((2^64 - 1) / range)
};

/// Draws integers other than 0: a sign as Xoshiro::sign() draws it, then a magnitude of 1..largest.
class SignedInteger {
 public:
  /// Shapes: largest >= 1; `of` is a power of two, so that no draw of a sign is dropped
  explicit SignedInteger(Extent largest, Extent ups = 1, Extent of = 2);

  /// `random` is a Xoshiro, or what has its draws.
  template <class Random>
  double operator()(Random& random) const {
    // First the sign: operands of one expression have no order. By its bit, for a branch on it is
    // guessed wrongly too often.
    const std::uint64_t down = (random.next() & mask_) < ups_ ? 0 : 1;
    const auto magnitude = static_cast<double>(magnitude_(random) + 1);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) ^ down << 63);
  }
  const Below& magnitude() const { return magnitude_; }
  /// The bits of a draw that decide the sign: it is + where they are less than ups().
  std::uint64_t sign_bits() const { return mask_; }
  std::uint64_t ups() const { return ups_; }

 private:
  Below magnitude_;
  std::uint64_t ups_, mask_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_FILL_XOSHIRO_H_
