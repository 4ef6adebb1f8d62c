// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/steps.h"
#include "conformance/run/worker_loss.h"

namespace concord::conformance {

Step<TrialReply> execute(Host& host, const Asked& asked, const Ready& ready) {
  return reply_of(host.execute({.problem = asked.complete,
                                .src = ready.inputs.src,
                                .weights = ready.inputs.weights,
                                .bias = ready.inputs.bias,
                                .diff_dst = ready.inputs.diff_dst,
                                .threads = ready.threads,
                                .constant_weights = !ready.changes_weights,
                                .executions = 2,
                                .later_weights = ready.later.weights,
                                .later_bias = ready.later.bias,
                                .other_threads = ready.other_threads}));
}

}  // namespace concord::conformance
