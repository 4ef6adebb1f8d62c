// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/lowering_backend.h"

namespace concord::backends {

Or<PaddedConvolution> LoweringBackend::lower_or_decline(const Problem& problem) const {
  auto lowered = lower(problem);
  if (!lowered) return lowered;
  if (auto no = decline(problem, *lowered)) return *no;
  return lowered;
}

Or<Answer> LoweringBackend::query(const Problem& problem) {
  const auto lowered = lower_or_decline(problem);
  if (!lowered) return lowered.why();
  Answer answer;
  answer.dst_dims = lowered->dst_dims;
  declare(problem, *lowered, answer);
  return answer;
}

Or<std::unique_ptr<Prepared>> LoweringBackend::prepare(const Problem& problem,
                                                       const PrepareOptions& options) {
  const auto lowered = lower_or_decline(problem);
  if (!lowered) return lowered.why();
  return make(problem, *lowered, options);
}

}  // namespace concord::backends
