// SPDX-License-Identifier: Apache-2.0
// False alarms: how many tensors of honest libraries the judge fails.
#ifndef CONCORD_CONFORMANCE_POWER_ALARMS_H_
#define CONCORD_CONFORMANCE_POWER_ALARMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/power/suspects.h"

namespace concord::conformance {

/// Each seed has its own data, up to this one.
constexpr std::uint64_t kLastAlarmSeed = (std::uint64_t{1} << 24) - 1;

/// Libraries whose class, the `arithmetic` of their simulation, is what they compute: all
/// simulations, and Winograd's algorithm in the classes that it can be in.
std::vector<Suspect> honest_libraries();

struct Alarms {
  std::uint64_t tensors = 0, failed = 0;
  std::uint64_t failed_pools = 0;    ///< libraries of which all tensors together are judged to fail
  std::vector<std::string> which{};  ///< the first few: class, order, problem, fill, seed, reason
};

/// Judges `tensors` small tensors, as many of each library, each under its own class, in all
/// orders of summation, with and without a bias, of random, integer and sparse data.
Alarms count_alarms(const std::vector<Suspect>& libraries, std::uint64_t tensors,
                    std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_ALARMS_H_
