// SPDX-License-Identifier: Apache-2.0
// What is asked of a plan.
#ifndef CONCORD_OPTIMIZED_OPTIONS_H_
#define CONCORD_OPTIMIZED_OPTIONS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "optimized/runtime/isa.h"
#include "optimized/targets/target.h"
#include "optimized/tuning/choice.h"

namespace concord::optimized {

class Wisdom;

/// Plans of a problem are measured, and the fastest is kept.
struct Tuning {
  /// For one problem, at most; each plan that is measured runs at least twice.
  double milliseconds = 50;
  bool packed = true;  ///< weights are packed beforehand
  /// Plans may add in another order than the planners' one. Else all of them have the same bits.
  bool any_sums = false;
  /// Where choices are kept and found; null: nowhere.
  std::shared_ptr<Wisdom> wisdom{};
};

struct Options {
  int threads = 1;           ///< at least 1
  std::optional<Isa> isa{};  ///< nothing: CONCORD_ISA, else all that this processor supports
  /// 2 or 4: Winograd's F(2x2, 3x3) or F(4x4, 3x3) for the problems that winograd/plan.h names; the
  /// others, and 0, are computed directly.
  int winograd = 0;
  /// For whose processors to plan; null: this one's family. Kernels compute the same sums whatever
  /// is planned, in another order perhaps.
  const Target* target = nullptr;
  /// Of the discrete convolutions, what to plan rather than what the planners think best.
  std::optional<PlanChoice> choice{};
  /// Nothing: plans are as the planners think best, and not measured.
  std::optional<Tuning> tuning{};

  /// True if `choice` is this algorithm, which then need not pay.
  bool asks_for(std::string_view algorithm) const {
    return choice && choice->algorithm == algorithm;
  }
};

/// The same for an operation that does not declare Winograd: computed directly.
inline Options direct(const Options& options) {
  Options changed = options;
  changed.winograd = 0;
  return changed;
}

/// The same, as the planners think best.
inline Options untuned(const Options& options) {
  Options changed = options;
  changed.tuning.reset();
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
