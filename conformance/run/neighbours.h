// SPDX-License-Identifier: Apache-2.0
// Neighbouring classes: would a failing backend conform if it declared another arithmetic?
#ifndef CONCORD_CONFORMANCE_RUN_NEIGHBOURS_H_
#define CONCORD_CONFORMANCE_RUN_NEIGHBOURS_H_

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "conformance/case/case_list.h"
#include "conformance/run/examine.h"
#include "conformance/run/runner.h"

namespace concord::conformance {

struct NeighbourOptions {
  ExamineOptions examine{};
  HostOptions host{};
  std::size_t most_failures = 400;          ///< retried at most under a class that seems to fit
  std::size_t most_others = 60;             ///< the same for cases that passed
  std::chrono::milliseconds budget{20000};  ///< no case is begun later
};

/// Looks for a class that differs from the declared one by one word, or by two, under which no
/// failure is left: of all cases, else of those of one dtype. Each case is executed again, since
/// its data depend on the class. Of several such classes it is the one that comes first in an order
/// from narrow to wide. Nothing where a failure does not concern values, such as a crash.
std::vector<Neighbour> find_neighbours(const CaseList& cases, const BackendRun& backend,
                                       const NeighbourOptions& options,
                                       const std::atomic<bool>& stop);

/// "would conform as flush=yes: 12 of 12 failures pass under it, and so do 40 of 40 other cases
/// that were tried".
std::string describe(const Neighbour& neighbour);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_NEIGHBOURS_H_
