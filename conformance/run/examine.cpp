// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/examine.h"

#include <chrono>
#include <new>

#include "conformance/run/judge_query.h"
#include "conformance/run/steps.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

CaseResult take_steps(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const Step<Asked> asked = ask(prepared, host, options.lower);
  if (!asked) return asked.why();
  const Step<Ready> ready = prepare(prepared, *asked, options);
  if (!ready) return record(ready.why(), *asked, std::nullopt);
  const Step<TrialReply> reply = execute(host, *asked, *ready);
  CaseResult result = reply ? judge(prepared, *asked, *ready, *reply) : reply.why();
  return record(std::move(result), *asked, ready->arithmetic);
}

// What `examine_case` returns, or the result of what it throws.
template <class Examine>
CaseResult without_exceptions(Examine examine_case) {
  try {
    return examine_case();
  } catch (const Interrupted& stopped) {
    CaseResult result = verdict(Verdict::kHarnessError, Tier::kNone, stopped.what());
    result.loss = Loss::kStopped;
    return result;
  } catch (const std::bad_alloc&) {
    return verdict(Verdict::kHarnessError, Tier::kNone,
                   "this machine does not have enough memory to judge the case");
  } catch (const std::exception& trouble) {
    // A system call of ours that failed.
    return verdict(Verdict::kHarnessError, Tier::kNone, trouble.what());
  }
}

}  // namespace

CaseResult examine(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const auto begin = Clock::now();
  CaseResult result = without_exceptions([&] { return take_steps(prepared, host, options); });
  result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return result;
}

}  // namespace concord::conformance
