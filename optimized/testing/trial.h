// SPDX-License-Identifier: Apache-2.0
// Runs the engine on a problem with small integers, for which every order of summation is exact,
// and compares it with naive loops.
#ifndef CONCORD_OPTIMIZED_TESTING_TRIAL_H_
#define CONCORD_OPTIMIZED_TESTING_TRIAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "optimized/convolution.h"
#include "optimized/testing/guarded.h"

namespace concord::optimized::testing {

/// The problem that the line says; the test fails where it says none.
Problem problem_of(std::string_view line);

/// Every instruction set that this processor runs.
std::vector<Isa> supported_isas();

/// A problem with integers from -3 to 3 that follow from `seed`; weights are multiples of
/// `weights_unit`. Tried as often as one likes, its sums are formed once.
class Trial {
 public:
  explicit Trial(const Problem& problem, std::uint32_t seed = 7, double weights_unit = 1);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Plans and runs the problem with everything between guard pages, inputs that can only be read,
  /// a dirty workspace, and weights packed beforehand, packed between guard pages, and on the way.
  /// Returns what is wrong: an element that differs from the naive sum rounded once, a gap of dst
  /// that was written, a refusal; or nothing.
  std::string run(const Options& options, Side side = Side::kAfter);

  struct Inputs;

 private:
  Problem problem_;
  std::unique_ptr<Inputs> inputs_;
  std::optional<std::vector<std::byte>> want_{};
};

/// Tries the problem once.
std::string try_integers(const Problem& problem, const Options& options, std::uint32_t seed,
                         Side side = Side::kAfter, double weights_unit = 1);

/// The same at every instruction set that this processor runs; names the one where it goes wrong.
std::string wrong_anywhere(const Problem& problem, int threads = 1, Side side = Side::kAfter);

/// Runs the problem on `src`, `weights` and `bias`, given in the order of memory of dense tensors,
/// and returns dst in the same way.
std::vector<double> run_dense(const Problem& problem, const Options& options,
                              const std::vector<double>& src, const std::vector<double>& weights,
                              const std::vector<double>& bias = {});

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_TRIAL_H_
