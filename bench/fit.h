// SPDX-License-Identifier: Apache-2.0
// Fits a target of the engine to this machine: optimized/targets/.
#ifndef CONCORD_BENCH_FIT_H_
#define CONCORD_BENCH_FIT_H_

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace concord::bench {

/// What a fit is made of.
struct FitMaterial {
  std::vector<Layer> fitted{};    ///< layers besides grid_layers()
  std::vector<Layer> held_out{};  ///< layers that tell how good the fit is
  std::string filter = "*";       ///< a glob that names of layers match, those of the grid, too
};

/// Layers of every number of pixels and vectors of the register tiles of f32, whose weights stay in
/// the first-level cache, in the second, or in neither, and whose pixels share sets or do not.
std::vector<Layer> grid_layers();

/// Runs the layers by register tiles of every number of vectors, in f32 on one thread, prints the
/// costs and residuals, and writes the target as a source file for optimized/targets/, named after
/// `file`. `command` goes into its comment.
/// Errors  a sentence: nothing to measure, or a file that cannot be written
std::optional<std::string> fit_target(const FitMaterial& material, const Method& method,
                                      const std::string& file, const std::string& command);

}  // namespace concord::bench

#endif  // CONCORD_BENCH_FIT_H_
