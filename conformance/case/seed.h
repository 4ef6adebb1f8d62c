// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from a seed alone, the same on every machine and in every version.
#ifndef CONCORD_CONFORMANCE_CASE_SEED_H_
#define CONCORD_CONFORMANCE_CASE_SEED_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace concord::conformance {

/// FNV-1a, 64 bits. Source: G. Fowler, L. Noll, K.-P. Vo, draft-eastlake-fnv, section 2
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// The splitmix64 generator. Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom
/// Number Generators", OOPSLA 2014
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number in [0, bound), bound positive; its bias of bound / 2^64 does not matter here.
  constexpr std::size_t below(std::size_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

/// The bits of a seed by which a case of integers draws what comes beside its two executions, and
/// those of them with which nothing does (run/prepared_case.h).
inline constexpr std::uint64_t kConductBits = 0xffff, kPlainConduct = 0x4116;

/// True for the sweeps over all windows, in which one case in four draws more than two executions:
/// they are hundreds of thousands, and what they are for is the window.
constexpr bool is_mostly_plain(std::string_view id) {
  return id.starts_with("tuples_") || id.starts_with("every_");
}

/// Which cases of such a sweep draw more.
constexpr bool draws_more(std::uint64_t seed) { return (seed >> 32) % 4 == 0; }

/// The seed of a case: of the suite's seed and the case's id, nothing else.
constexpr std::uint64_t case_seed(std::uint64_t suite_seed, std::string_view id) {
  const std::uint64_t drawn = Random(suite_seed ^ fnv1a(id)).next();
  const bool is_plain = is_mostly_plain(id) && !draws_more(drawn);
  return is_plain ? (drawn & ~kConductBits) | kPlainConduct : drawn;
}

/// True for every seed that such a sweep's case has, and for a quarter of all others that come of
/// case_seed().
constexpr bool may_be_of_sweep(std::uint64_t seed) {
  return (seed & kConductBits) == kPlainConduct || (seed >> 32 != 0 && draws_more(seed));
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CASE_SEED_H_
