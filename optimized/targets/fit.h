// SPDX-License-Identifier: Apache-2.0
// Finds the costs of register tiles from measured layers.
#ifndef CONCORD_OPTIMIZED_TARGETS_FIT_H_
#define CONCORD_OPTIMIZED_TARGETS_FIT_H_

#include <string>
#include <vector>

#include "optimized/direct/tile_choice.h"

namespace concord::optimized {

/// A plan, and the cycles that one execution of it took.
struct MeasuredTiling {
  std::string name;
  Tiling tiling{};
  double cycles = 0;
};

/// `base` with those costs of kTileCosts, none below zero, and those bytes a cycle from the
/// second-level cache, for which the sum of squares of (model - measured) / measured is least. A
/// cost that no plan has keeps its value. Costs that `base` orders stay in order: weights cost no
/// more where they stay than where they do not, and likewise reloads and stores.
Target fit_tile_costs(const Target& base, const std::vector<MeasuredTiling>& measured);

/// By how much the model is wrong, as parts of what was measured.
struct Residuals {
  double median = 0, percentile_95 = 0, worst = 0;  ///< without sign
  std::string worst_name{};
};
Residuals residuals_of(const Target& target, const std::vector<MeasuredTiling>& measured);

/// The source file of a target, in the form of this folder; `comment` is its text without "//".
std::string source_of(const Target& target, const std::string& comment);

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_TARGETS_FIT_H_
