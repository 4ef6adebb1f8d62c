// SPDX-License-Identifier: Apache-2.0
// One element of dst as a function of the inputs: what it should be, and what a backend makes of
// it. Probes of it tell which inputs the backend uses.
#ifndef CONCORD_CONFORMANCE_SHRINK_ELEMENT_H_
#define CONCORD_CONFORMANCE_SHRINK_ELEMENT_H_

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

  double expected(const Inputs& inputs) const;
  /// NaN where the backend gives no answer.
  double computed(const Inputs& inputs);

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
};

/// "src[0,1,2]": element `place` of an input's dense reading order, by the input's own axes.
std::string name_of(const Problem& problem, Input input, std::size_t place);

/// How a continuous operation comes to the element, a line each; `inputs` are those that failed.
std::vector<std::string> explain_continuous(Element& element, const Inputs& inputs);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_ELEMENT_H_
