// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "conformance/judge.h"
#include "conformance/judge/acceptance.h"
#include "spec/check.h"

namespace concord::conformance {

Finding judge_interval(Dtype dtype, const concord_arithmetic& arithmetic, Extent products,
                       std::span<const double> got, std::span<const double> want,
                       std::span<const double> magnitude) {
  CONCORD_CHECK(magnitude.size() == want.size()) << magnitude.size() << " and " << want.size();
  const Acceptance acceptance(dtype, arithmetic, error_bound(dtype, arithmetic, products));
  if (!is_bilinear(arithmetic) || magnitude.empty()) return acceptance.judge(got, want, magnitude);
  const double largest = *std::max_element(magnitude.begin(), magnitude.end());
  return acceptance.judge(got, want, std::vector<double>(magnitude.size(), largest));
}

}  // namespace concord::conformance
