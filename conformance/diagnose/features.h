// SPDX-License-Identifier: Apache-2.0
// The named features of a case, by which diagnosis compares cases.
#ifndef CONCORD_CONFORMANCE_DIAGNOSE_FEATURES_H_
#define CONCORD_CONFORMANCE_DIAGNOSE_FEATURES_H_

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "reference/reference.h"

namespace concord::conformance {

struct Features {
  std::set<std::string> words{};  ///< "operation = Convolution", "sharing is false on axis 1"
  std::vector<std::pair<std::string, Extent>> numbers{};  ///< "stride_w"
  std::string_view kind{};  ///< of its operation: "a discrete convolution"

  void add(bool holds, std::string word) {
    if (holds) words.insert(std::move(word));
  }
  void add_number(std::string name, Extent value) { numbers.emplace_back(std::move(name), value); }
  /// One number an axis, "stride_w", and the largest and least of them, "stride", "least stride".
  void add_axes(std::string_view name, const std::vector<std::string>& axes, const Extents& values);
};

/// Those of the problem, and of its fill.
Features features_of(const Case& source);

/// Those of the case's data in the class `arithmetic` (empty: strict) and of the expected values:
/// "a NaN is expected"; and of how it is executed by a backend with so many threads. Evaluates the
/// case.
void add_data_features(const Case& source, std::string_view arithmetic, int threads,
                       Features& features);

/// How many products evaluating the case takes.
double evaluation_cost(const Case& source);

/// Those of the attributes by their rows, but not those among `known`: a number, of a list one an
/// element, or a word, "auto_pad = valid", for each.
void add_attribute_features(const Problem& problem, std::span<const std::string_view> known,
                            Features& features);

/// Those of the operations that are not discrete.
void add_form_features(const Problem& problem, const reference::Resolution& resolution,
                       Features& features);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_DIAGNOSE_FEATURES_H_
