// SPDX-License-Identifier: Apache-2.0
// Collects the problems of form_counts().
#ifndef CONCORD_CONFORMANCE_CATALOG_COUNTS_FORM_COUNTER_H_
#define CONCORD_CONFORMANCE_CATALOG_COUNTS_FORM_COUNTER_H_

#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/catalog/counts/form_counts.h"
#include "reference/reference.h"

namespace concord::conformance {

class FormCounter {
 public:
  /// `counted` is what of the problem has that value. Those of a value and `part` are one group, of
  /// which smoke has one problem where the value is common.
  void add(std::string_view family, std::string_view counted, Extent value,
           const std::string& variant, Problem problem, std::string_view part = "");

  /// The problems so far: what is not counted varies with it.
  std::size_t turn() const { return turn_; }

  std::vector<FormCount> take() &&;

 private:
  std::size_t turn_ = 0;
  std::vector<FormCount> counts_{};
  /// By family, what is counted, its value and the part: places of problems.
  std::map<std::string, std::vector<std::size_t>> common_{};
};

// Bounds of what is counted.
inline constexpr Extent kMostOfMany = 40, kMostOfFew = 20, kMostTaps = 12, kMostLayers = 6;

/// 1 to `most`, then `more`.
std::vector<Extent> numbers_to(Extent most, std::initializer_list<Extent> more = {});

enum class Pass { kForward, kData, kWeights };
inline constexpr std::array kPasses = {std::pair{"forward", Pass::kForward},
                                       std::pair{"data", Pass::kData},
                                       std::pair{"weights", Pass::kWeights}};

/// Makes of a forward problem one of its gradients, complete but for its tensors' memory.
template <class BackwardData, class BackwardWeights, class Attributes>
void make_gradient(Pass pass, const Attributes& attributes, Problem& problem) {
  if (pass == Pass::kForward) return;
  problem.diff_dst = Tensor{reference::resolve(problem).value().dst.dims, {}};
  if (pass == Pass::kData) {
    problem.attributes = BackwardData{attributes};
  } else {
    problem.attributes = BackwardWeights{attributes};
  }
}

// The problems of each specification.
void add_cntk_counts(FormCounter& counter);
void add_continuous_counts(FormCounter& counter);
void add_continuous_chain_counts(FormCounter& counter);
void add_block_counts(FormCounter& counter);
void add_atrous_counts(FormCounter& counter);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_COUNTS_FORM_COUNTER_H_
