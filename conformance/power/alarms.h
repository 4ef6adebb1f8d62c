// SPDX-License-Identifier: Apache-2.0
// False alarms: how many tensors of honest libraries the judge fails.
#ifndef CONCORD_CONFORMANCE_POWER_ALARMS_H_
#define CONCORD_CONFORMANCE_POWER_ALARMS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace concord::conformance {

struct Alarms {
  std::uint64_t tensors = 0, failed = 0;
  std::vector<std::string> which{};  ///< the first few: class, order, problem, fill, seed, reason
};

/// Judges `tensors` small tensors as they come from all simulations, each under its own class, in
/// all orders of summation, of all fills of random and of sparse data.
Alarms count_alarms(std::uint64_t tensors, std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_POWER_ALARMS_H_
