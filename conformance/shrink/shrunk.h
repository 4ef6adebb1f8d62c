// SPDX-License-Identifier: Apache-2.0
// A failure made small: the smallest case found that still fails in the same way.
#ifndef CONCORD_CONFORMANCE_SHRINK_SHRUNK_H_
#define CONCORD_CONFORMANCE_SHRINK_SHRUNK_H_

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/case.h"
#include "conformance/run/case_result.h"

namespace concord::conformance {

/// How a case is tried so that its failure shows.
struct Manner {
  /// Before the case, one with other data is tried in the same process: for a backend that keeps
  /// what it should forget.
  bool warmed = false;
  int attempts = 1;  ///< for a backend that fails now and then
};

struct Shrunk {
  std::size_t of = 0;        ///< the place of the original among the cases of the run
  bool fails_again = false;  ///< false: by itself the case passes, and nothing below is set
  Case smallest{};
  bool has_given_data = false;  ///< data of `smallest` that follow from no seed
  CaseResult result{};
  Manner manner{};
  std::size_t trials = 0;
  bool exhausted = false;  ///< the budget ended the search: a smaller one may exist
  /// The wrong element, tap by tap, a line each; empty where no element is wrong.
  std::vector<std::string> taps{};
  std::string program{};  ///< the path of the C program that shows the failure; empty: not written
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_SHRUNK_H_
