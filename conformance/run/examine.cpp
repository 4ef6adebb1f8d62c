// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/examine.h"

#include <fmt/format.h>

#include <chrono>
#include <new>

#include "conformance/case/seed.h"
#include "conformance/run/huge.h"
#include "conformance/run/judge_query.h"
#include "conformance/run/memory_bound.h"
#include "conformance/run/room.h"
#include "conformance/run/steps.h"
#include "conformance/run/unknown_number.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;

// What only more questions show of a backend that has computed rightly.
std::optional<CaseResult> ask_further(const PreparedCase& prepared, Host& host, const Asked& asked,
                                      const Ready& ready, const TrialReply& reply) {
  const auto trouble = trouble_with_workspace(prepared, host, asked, ready, reply);
  if (!trouble) return trouble.why();
  if (*trouble) return verdict(Verdict::kFail, Tier::kSideEffects, **trouble);
  auto served = ask_unknown(prepared, host, asked);
  return served ? *std::move(served) : served.why();
}

CaseResult take_steps(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  const Step<Asked> asked = ask(prepared, host, options.lower);
  if (!asked) return asked.why();
  if (is_huge(asked->complete) && !host.is_command()) {
    return examine_huge(prepared, *asked, host, options);
  }
  const Step<Ready> ready = prepare(prepared, *asked, options);
  if (!ready) return record(ready.why(), *asked, std::nullopt);
  const Step<TrialReply> reply = execute(host, *asked, *ready);
  CaseResult result = reply ? judge(prepared, *asked, *ready, *reply) : reply.why();
  if (reply && !is_failure(result.verdict)) {
    if (auto failed = ask_further(prepared, host, *asked, *ready, *reply)) {
      result = *std::move(failed);
    }
  }
  return record(std::move(result), *asked, ready->arithmetic);
}

// The seed of a second draw: of the first one's alone, so that a case can be replayed. What else is
// chosen by a seed (PreparedCase) is chosen as before.
std::uint64_t second_seed(std::uint64_t seed) {
  constexpr std::uint64_t kChoices = 192;
  const std::uint64_t other = Random(seed).next() / 2;
  return other - other % kChoices + seed % kChoices;
}

bool may_be_chance(const CaseResult& result) {
  return result.verdict == Verdict::kFail && result.tier == Tier::kStatistical;
}

// Chance does in two draws what it does in one with the square of its probability, a biased sum
// does it in both: docs/numerics.md#a-second-draw.
CaseResult draw_again(CaseResult first, const PreparedCase& prepared, Host& host,
                      const ExamineOptions& options) {
  Case other = prepared.source();
  other.seed = second_seed(other.seed);
  PreparedCase again = prepared.like_this(other);
  CaseResult second = take_steps(again, host, options);
  const std::string with = fmt::format("with a second draw of the data, seed {}", other.seed);
  if (second.verdict == Verdict::kPass) {
    // The first draw's errors stay in the pools, for those must not choose what they add up.
    first.verdict = Verdict::kPass;
    first.tier = second.tier;
    first.reason = fmt::format("{}; not so {}", first.reason, with);
    return first;
  }
  if (!is_failure(second.verdict) || second.loss != Loss::kNone) return second;
  first.reason += fmt::format("; {}: {}", with, second.reason);
  return first;
}

CaseResult take_steps_twice(PreparedCase& prepared, Host& host, const ExamineOptions& options) {
  CaseResult result = take_steps(prepared, host, options);
  return may_be_chance(result) ? draw_again(std::move(result), prepared, host, options) : result;
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
  CaseResult result = without_exceptions([&] { return take_steps_twice(prepared, host, options); });
  result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return result;
}

}  // namespace concord::conformance
