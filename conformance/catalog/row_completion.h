// SPDX-License-Identifier: Apache-2.0
// The search that covering arrays of any strength share: a row with some levels chosen is completed
// by those that cover the most of what is missing.
#ifndef CONCORD_CONFORMANCE_CATALOG_ROW_COMPLETION_H_
#define CONCORD_CONFORMANCE_CATALOG_ROW_COMPLETION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "conformance/case/seed.h"
#include "conformance/catalog/covering.h"

namespace concord::conformance {

class RowCompletion {
 public:
  /// How much is covered by giving `factor` that level, beside the levels chosen already.
  using Gain = std::function<std::size_t(const Row& row, std::size_t factor, int level)>;

  /// The model and what `gain` looks at outlive it.
  RowCompletion(const FactorModel& model, std::uint64_t seed, Gain gain)
      : model_(model), random_(seed), gain_(std::move(gain)) {}

  /// Chooses levels for the open factors of `row`, in a random order: the most gainful first, the
  /// next one if that leads nowhere. False if no complete row is allowed.
  bool complete(Row& row);

 private:
  bool complete(Row& row, const std::vector<std::size_t>& open, std::size_t place);

  const FactorModel& model_;
  Random random_;
  Gain gain_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_ROW_COMPLETION_H_
