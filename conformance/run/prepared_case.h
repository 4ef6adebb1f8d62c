// SPDX-License-Identifier: Apache-2.0
// A case with its data and what is expected of them.
#ifndef CONCORD_CONFORMANCE_RUN_PREPARED_CASE_H_
#define CONCORD_CONFORMANCE_RUN_PREPARED_CASE_H_

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/case/case.h"
#include "conformance/fill/fill.h"
#include "conformance/judge/judge_data.h"
#include "conformance/judge/trust.h"
#include "conformance/worker/host.h"
#include "reference/reference.h"

namespace concord::conformance {

/// The thread was interrupted() while data or values were computed.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("the run was stopped while the case was computed") {}
};

/// The most threads with which other_threads() has a case computed, whatever the run has.
inline constexpr int kMostOtherThreads = 33;

/// One case, ready to be tried on any number of backends: what does not depend on the backend is
/// computed once, when first asked for. Whatever computes may throw Interrupted.
class PreparedCase {
 public:
  /// `oracle_threads` is how many threads the reference's values may take. If `only_to_judge`,
  /// there may be no magnitudes where judge_data() does not read any: in the exact tier.
  /// `source` must live as long.
  explicit PreparedCase(const Case& source, int oracle_threads = 1, bool only_to_judge = false);
  explicit PreparedCase(Case&& source, int oracle_threads = 1, bool only_to_judge = false) = delete;

  /// The same for another case, which must live as long.
  PreparedCase like_this(const Case& other) const {
    return PreparedCase(other, oracle_threads_, only_to_judge_);
  }

  const Case& source() const { return source_; }
  const Result<reference::Resolution>& geometry() const { return geometry_; }

  /// The inputs and what the reference makes of them. Only for a case with a geometry.
  struct Data {
    Inputs inputs;
    reference::Oracle oracle;
  };
  const Data& data(const concord_arithmetic& arithmetic);
  /// Of one fill of each problem: integers or, where no data are exact, uniform. More is asked of
  /// these cases than of others.
  bool is_telling() const;
  /// With how many threads the problem has to be computed once more by a backend that has computed
  /// it with `threads`; 0 if it has not to. By the seed: half of the telling cases, whose
  /// result is the same however they are summed. If the backend promises the same bits for any
  /// number of threads, one in three cases of random reals, and of cases that bring their data; all
  /// whose data are given by hand.
  int other_threads(int threads, bool promises_same_bits) const;
  /// What comes between the executions, by the seed: of the telling cases, half have other
  /// inputs, and a quarter a second handle.
  Sequence sequence() const;
  /// Whether weights and bias are not shown to prepare: where other inputs follow, and by the seed
  /// in half of the other cases whose data are made.
  bool hides_weights() const;
  /// The other inputs of that sequence.
  const Data& later_data(const concord_arithmetic& arithmetic);
  /// How often the first inputs are executed: more than twice in some small cases.
  int executions() const;
  /// Whether later executions with these inputs come from another thread, by turns: by the seed,
  /// one in four telling cases.
  bool on_another_thread() const;
  /// Whether the problem is prepared, executed and released over and over: by the seed, one in 64
  /// telling cases, if its tensors are small.
  bool many_rounds() const;
  /// What a result is judged against.
  Expectation expectation(const concord_arithmetic& arithmetic, const Data& data) const;
  /// Which wrong outputs the data would tell apart.
  const Trust& trust(const concord_arithmetic& arithmetic);
  /// How often the reference was evaluated.
  std::size_t evaluations() const { return evaluations_; }

 private:
  // By the arithmetic's text; random reals, which hardly depend on it, by "" or "f16". Classes that
  // come to the same inputs share them.
  using DataOfClasses = std::map<std::string, std::shared_ptr<const Data>>;
  const Data& slot_of(DataOfClasses& known, const std::string& key, Inputs inputs,
                      const concord_arithmetic& arithmetic);
  bool needs_magnitudes(const concord_arithmetic& arithmetic) const;
  Inputs make_inputs(const concord_arithmetic& arithmetic) const;
  reference::Oracle evaluate(const Inputs& inputs, bool magnitudes);

  const Case& source_;
  Result<reference::Resolution> geometry_;
  OutputShape shape_;
  int oracle_threads_;
  bool only_to_judge_;
  std::size_t evaluations_ = 0;
  DataOfClasses data_, later_data_;
  std::map<std::string, std::unique_ptr<Trust>> trust_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_PREPARED_CASE_H_
