// SPDX-License-Identifier: Apache-2.0
#include "conformance/fill/xoshiro.h"

#include <bit>

#include "spec/check.h"

namespace concord::conformance {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace

Xoshiro::Xoshiro(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t tag = stream;
  std::uint64_t state = seed ^ splitmix64(tag);
  for (std::uint64_t& word : state_) word = splitmix64(state);
}

void Xoshiro::jump(const State& polynomial) {
  State sum{};
  for (const std::uint64_t word : polynomial) {
    for (int bit = 0; bit < 64; ++bit) {
      const std::uint64_t taken = 0 - (word >> bit & 1);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= state_[i] & taken;
      next();
    }
  }
  state_ = sum;
}

Extent Xoshiro::below(Extent bound) { return Below(bound)(*this); }

Below::Below(Extent bound) : range_(static_cast<std::uint64_t>(bound)) {
  CONCORD_CHECK(bound >= 1) << bound;
  excess_ = (0 - range_) % range_;
  reciprocal_ = ~std::uint64_t{0} / range_;
}

SignedInteger::SignedInteger(Extent largest, Extent ups, Extent of)
    : magnitude_(largest),
      ups_(static_cast<std::uint64_t>(ups)),
      mask_(static_cast<std::uint64_t>(of) - 1) {
  CONCORD_CHECK(of >= 1 && std::has_single_bit(mask_ + 1)) << of;
}

}  // namespace concord::conformance
