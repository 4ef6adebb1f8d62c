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

std::uint64_t Xoshiro::next() {
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

Extent Xoshiro::below(Extent bound) {
  CONCORD_CHECK(bound >= 1) << bound;
  const auto range = static_cast<std::uint64_t>(bound);
  const std::uint64_t excess = (0 - range) % range;  // 2^64 mod range: draws below it are dropped
  std::uint64_t draw = next();
  while (draw < excess) draw = next();
  return static_cast<Extent>(draw % range);
}

double Xoshiro::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

}  // namespace concord::conformance
