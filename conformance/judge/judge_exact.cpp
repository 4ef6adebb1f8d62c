// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge.h"

namespace concord::conformance {

Finding judge_exact(Dtype dtype, const concord_arithmetic& arithmetic, std::span<const double> got,
                    std::span<const double> want, const ChannelBias& bias) {
  return Acceptance(dtype, arithmetic, ErrorBound{}).judge(got, want, {}, bias);
}

}  // namespace concord::conformance
