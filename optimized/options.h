// SPDX-License-Identifier: Apache-2.0
// What is asked of a plan.
#ifndef CONCORD_OPTIMIZED_OPTIONS_H_
#define CONCORD_OPTIMIZED_OPTIONS_H_

#include <optional>
#include <string>

#include "optimized/runtime/isa.h"
#include "optimized/targets/target.h"

namespace concord::optimized {

struct Options {
  int threads = 1;           ///< at least 1
  std::optional<Isa> isa{};  ///< nothing: CONCORD_ISA, else all that this processor supports
  /// 2 or 4: Winograd's F(2x2, 3x3) or F(4x4, 3x3) for the problems that winograd/plan.h names; the
  /// others, and 0, are computed directly.
  int winograd = 0;
  /// For whose processors to plan; null: this one's family. Kernels compute the same sums whatever
  /// is planned, in another order perhaps.
  const Target* target = nullptr;
};

/// The same for an operation that does not declare Winograd: computed directly.
inline Options direct(const Options& options) {
  Options changed = options;
  changed.winograd = 0;
  return changed;
}

/// The same for a product within an operation: on one thread, and direct.
inline Options of_one_thread(const Options& options) {
  Options one = direct(options);
  one.threads = 1;
  return one;
}

/// kSyntax for less than one thread.
inline std::optional<Refusal> refuse_threads(const Options& options) {
  if (options.threads >= 1) return std::nullopt;
  return Refusal{Fault::kSyntax,
                 "the option threads is " + std::to_string(options.threads) + ", less than 1"};
}

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_OPTIONS_H_
