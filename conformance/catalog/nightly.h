// SPDX-License-Identifier: Apache-2.0
// The suite `nightly`: all other cases first, then an endless supply of new ones.
#ifndef CONCORD_CONFORMANCE_CATALOG_NIGHTLY_H_
#define CONCORD_CONFORMANCE_CATALOG_NIGHTLY_H_

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "conformance/case/case_list.h"

namespace concord::conformance {

/// Deals out batches of cases: the suite `smoke`, what `full` has beyond it, and then one covering
/// array after another, each from a seed of its own. No case is repeated: a problem already used
/// with the same fill is left out. The same seed gives the same batches.
class Nightly {
 public:
  explicit Nightly(std::uint64_t seed) : seed_(seed) {}

  CaseList next();

 private:
  std::vector<Case> drawn() const;

  std::uint64_t seed_;
  std::uint64_t batch_ = 0;
  std::unordered_set<std::string> seen_{};  ///< ids, and problem lines with their fills
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_NIGHTLY_H_
