// SPDX-License-Identifier: Apache-2.0
// False alarms: how many tensors of honest libraries the judge fails.
#ifndef CONCORD_CONFORMANCE_POWER_ALARMS_H_
#define CONCORD_CONFORMANCE_POWER_ALARMS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/power/honest_library.h"

namespace concord::conformance {

/// Each seed has its own tensors, up to these many of each and up to this seed.
constexpr std::uint64_t kTensorsOfSeed = std::uint64_t{1} << 40;
constexpr std::uint64_t kLastAlarmSeed = (std::uint64_t{1} << 24) - 1;

struct AlarmOptions {
  std::uint64_t tensors = 0;
  std::uint64_t seed = 1, first = 0;  ///< the tensors of `seed` from number `first` on
  unsigned jobs = 1;                  ///< threads; they change no number
  std::function<HonestLibrary(Xoshiro&)> draw = draw_library;
};

struct Alarms {
  std::uint64_t tensors = 0, failed = 0;
  /// Of so many tensors, one in 16, so many could reject a wrong output.
  std::uint64_t assessed = 0, able = 0;
  std::uint64_t pools = 0, failed_pools = 0;  ///< all tensors of a dtype and class together
  /// The first few: the tensor's number, its library, problem, fill and seed, and the reason.
  std::vector<std::string> which{};
};

/// Judges tensors of libraries that are drawn for each, of random problems: most have few products,
/// some up to 65,536; with any fill.
Alarms count_alarms(const AlarmOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_ALARMS_H_
