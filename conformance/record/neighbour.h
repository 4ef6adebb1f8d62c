// SPDX-License-Identifier: Apache-2.0
// A class of arithmetic under which a backend's failures vanish.
#ifndef CONCORD_CONFORMANCE_RECORD_NEIGHBOUR_H_
#define CONCORD_CONFORMANCE_RECORD_NEIGHBOUR_H_

#include <cstddef>
#include <optional>
#include <string>

#include "spec/dtype.h"

namespace concord::conformance {

struct Neighbour {
  std::string change{};           ///< what would have to be declared: "flush=yes"
  std::optional<Dtype> dtype{};   ///< the failures are those of this dtype; nothing: all
  std::size_t failures = 0;       ///< how many there are
  std::size_t tried = 0;          ///< how many of them were executed again
  std::size_t passed = 0;         ///< how many of these pass; the others are vacuous
  std::size_t others = 0;         ///< cases that had passed, and were executed again, too
  std::size_t others_passed = 0;  ///< how many of these pass; the others are vacuous
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_NEIGHBOUR_H_
