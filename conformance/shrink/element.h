// SPDX-License-Identifier: Apache-2.0
// One element of dst as a function of the inputs: the expected value, and the backend's. Probes of
// it tell which inputs the backend uses.
#ifndef CONCORD_CONFORMANCE_SHRINK_ELEMENT_H_
#define CONCORD_CONFORMANCE_SHRINK_ELEMENT_H_

#include <chrono>
#include <string>
#include <vector>

#include "conformance/shrink/trial.h"

namespace concord::conformance {

class Element {
 public:
  /// Element `place` of the dense reading order of `problem`'s dst. `asked` is what the backend is
  /// asked for, with dst: the problem, or what it was lowered to.
  Element(const Problem& problem, Problem asked, const reference::Resolution& geometry,
          const concord_arithmetic& arithmetic, std::size_t place, const TrialOptions& options);

  const Problem& problem() const { return problem_; }
  const reference::Resolution& geometry() const { return geometry_; }
  std::size_t place() const { return place_; }

  /// How the backend is asked from now on: as in the execution that failed. If `hides_weights`,
  /// weights are not shown to prepare. If `first` is not null, those inputs come first, and the
  /// ones that are asked about are the sequence's.
  void ask_as(Sequence sequence, bool hides_weights, const Inputs* first);

  double expected(const Inputs& inputs) const;
  /// NaN where the backend gives no answer.
  double computed(const Inputs& inputs);
  /// True once the backend did not live to answer, or the time limit was over: nothing that was
  /// computed since means anything.
  bool is_lost() const { return lost_; }

  /// What both make of the same inputs.
  struct Answers {
    double wanted = 0, got = 0;
    bool agree = true;  ///< within the bound of the backend's class
  };
  Answers ask(const Inputs& inputs);

 private:
  const Problem problem_, asked_;
  const reference::Resolution& geometry_;
  concord_arithmetic arithmetic_;
  std::size_t place_;
  const TrialOptions& options_;
  Host host_;
  Sequence sequence_ = Sequence::kNothing;
  bool hides_weights_ = false;
  const Inputs* first_ = nullptr;
  bool lost_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// "src[0,1,2]": element `place` of an input's dense reading order, by the input's own axes.
std::string name_of(const Problem& problem, Input input, std::size_t place);

/// How a continuous operation comes to the element, one line each; `inputs` are those that failed.
std::vector<std::string> explain_continuous(Element& element, const Inputs& inputs);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_ELEMENT_H_
