// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/unknown_number.h"

#include <algorithm>
#include <string>

#include "conformance/case/seed.h"
#include "conformance/run/judge_query.h"
#include "conformance/run/worker_loss.h"
#include "conformance/worker/enumerators.h"

namespace concord::conformance {

std::optional<UnknownNumber> unknown_number_of(const PreparedCase& prepared) {
  const Case& source = prepared.source();
  if (!prepared.is_telling() || may_be_of_sweep(source.seed) || !prepared.geometry()) {
    return std::nullopt;
  }
  const auto names = names_of_enumerators(source.problem);
  if (names.empty()) return std::nullopt;
  const auto lot = [&](const std::string& name) {
    return Random(source.seed ^ fnv1a(name)).next();
  };
  const auto chosen =
      std::min_element(names.begin(), names.end(),
                       [&](const std::string& a, const std::string& b) { return lot(a) < lot(b); });
  // Later versions of the plugin ABI count on from the numbers there are.
  return UnknownNumber{*chosen, lot(*chosen) % 2 == 0 ? 1000 : -1};
}

Step<std::optional<CaseResult>> ask_unknown(const PreparedCase& prepared, Host& host,
                                            const Asked& asked) {
  const std::optional<CaseResult> fine;
  if (host.is_command() || !asked.lowered.empty()) return fine;
  const auto unknown = unknown_number_of(prepared);
  if (!unknown) return fine;
  const auto reply = reply_of(host.query_unknown(prepared.source().problem, *unknown));
  if (!reply) return reply.why();
  return judge_unknown(*unknown, *reply);
}

}  // namespace concord::conformance
