// SPDX-License-Identifier: Apache-2.0
// A shrunk failure: the smallest case found that still fails in the same way.
#ifndef CONCORD_CONFORMANCE_RECORD_SHRUNK_H_
#define CONCORD_CONFORMANCE_RECORD_SHRUNK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/record/case_result.h"

namespace concord::conformance {

/// How a case is run so that it fails.
struct TrialSetup {
  /// Before the case, one with other data is tried in the same process: for a backend that keeps
  /// what it should forget.
  bool warmed = false;
  int attempts = 1;  ///< for a backend that fails only sometimes
  /// Cases of the run that are tried before the case in the same process, in this order.
  std::vector<Case> before{};
};

/// The case that warms a backend up: the same problem with other data.
inline Case warm_up_of(const Case& source) {
  constexpr std::uint64_t kOtherData = 0x9E3779B97F4A7C15U;
  Case other = source;
  other.recorded.reset();
  other.fill = Fill::kIntegers;
  other.seed ^= kOtherData;
  return other;
}

/// A file that is written, or given to readers of a report.
struct SourceFile {
  std::string name{}, text{};
};

struct Shrunk {
  std::size_t of = 0;        ///< the place of the original among the cases of the run
  bool fails_again = false;  ///< false: in no setup; then only `tried`, `trials`, `limit` are set
  /// The result of the original in each setup that was tried, in words:
  /// "alone it passed 8 times; after the same problem with other data it passed once".
  std::string tried{};
  Case smallest{};
  bool has_given_data = false;  ///< data of `smallest` that follow from no seed
  CaseResult result{};
  TrialSetup setup{};
  std::size_t trials = 0;
  /// What ended the search early, so that a smaller case may exist: "the budget of 200 ran out".
  std::string limit{};
  /// The wrong element, tap by tap, one line each; empty where no element is wrong.
  std::vector<std::string> taps{};
  /// A C program that shows the failure, or a shell script that replays it; in a run.
  SourceFile source{};
  std::string program{};  ///< the path of the C program that shows the failure; empty: not written
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_SHRUNK_H_
