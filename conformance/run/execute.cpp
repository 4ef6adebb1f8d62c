// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/steps.h"
#include "conformance/run/worker_loss.h"

namespace concord::conformance {

Step<TrialReply> execute(Host& host, const Asked& asked, const Ready& ready) {
  const auto trial = [&](const InputImages& inputs) {
    return Trial{.problem = asked.complete,
                 .src = inputs.src,
                 .weights = inputs.weights,
                 .bias = inputs.bias,
                 .diff_dst = inputs.diff_dst,
                 .threads = ready.threads,
                 .constant_weights = !ready.hides_weights,
                 .executions = ready.executions};
  };
  Trial first = trial(ready.inputs);
  const Trial later = trial(ready.later);
  first.sequence = ready.sequence;
  if (first.sequence != Sequence::kNothing) first.later = &later;
  first.other_threads = ready.other_threads;
  first.on_another_thread = ready.on_another_thread;
  first.many_rounds = ready.many_rounds;
  return reply_of(host.execute(first));
}

}  // namespace concord::conformance
