// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "conformance/output/service.h"
#include "conformance/output/terminal.h"
#include "conformance/record/failure_text.h"
#include "conformance/record/grouped.h"

namespace concord::conformance {
namespace {

bool is_normwise(const std::string& arithmetic) {
  return arithmetic.find("bilinear") != std::string::npos;
}

// Cases that were judged by the wider bound of bilinear algorithms.
std::size_t count_normwise(const BackendRun& backend) {
  std::size_t normwise = 0;
  for (const auto& result : backend.results) {
    if (result && is_normwise(result->arithmetic)) ++normwise;
  }
  for (const Tally& tally : backend.tallies) {
    for (const auto& [arithmetic, count] : tally.classes) {
      if (is_normwise(arithmetic)) normwise += count;
    }
  }
  return normwise;
}

// Why it cannot be said whether the backend conforms, though nothing failed; "" if it can.
std::string why_unknown(const Counts& counts, const BackendRun& backend, bool narrowed) {
  if (!backend.error.empty()) return backend.error;
  if (counts.not_run > 0) return "not all cases were run";
  if (counts.of(Verdict::kHarnessError) > 0) return "some cases could not be judged";
  const std::string no_verdict = why_no_verdict(service_of(backend), narrowed);
  if (!no_verdict.empty()) return no_verdict;
  return counts.of(Verdict::kPass) == 0 ? "nothing was judged" : "";
}

std::string conclusion_text(const Counts& counts, const BackendRun& backend, bool narrowed) {
  const auto service = service_of(backend);
  switch (conclude(backend, narrowed)) {
    case Conclusion::kConforms:
      return "conforms" + classes_text(service);
    case Conclusion::kServes:
      return fmt::format("conforms{} in what it serves: {}", classes_text(service),
                         service_text(service));
    case Conclusion::kSelected:
      return fmt::format("no failure{} among the {} selected case{}", classes_text(service),
                         grouped(counts.total()), counts.total() == 1 ? "" : "s");
    case Conclusion::kDoesNot:
      return "does not conform";
    case Conclusion::kUnknown:
      return "no verdict: " + why_unknown(counts, backend, narrowed);
  }
  return {};
}

// Cut off, so that 100.0 means all of them.
std::string part_text(std::size_t covered, std::size_t all) {
  const std::size_t tenths = 1000 * covered / all;
  return fmt::format("{} of {}", grouped(covered), grouped(all)) +
         fmt::format(" ({}.{} %)", tenths / 10, tenths % 10);
}

}  // namespace

std::size_t Counts::failed() const {
  std::size_t total = 0;
  for (const Verdict verdict : kVerdicts) {
    if (is_failure(verdict)) total += of(verdict);
  }
  return total;
}

std::size_t Counts::total() const {
  return std::accumulate(by_verdict.begin(), by_verdict.end(), not_run);
}

Counts count(const BackendRun& backend) {
  Counts counts = count_listed(backend);
  counts.not_run += backend.unlisted_not_run;
  for (const Tally& tally : backend.tallies) {
    for (std::size_t i = 0; i < counts.by_verdict.size(); ++i) {
      counts.by_verdict[i] += tally.by_verdict[i];
    }
  }
  return counts;
}

Counts count_listed(const BackendRun& backend) {
  Counts counts;
  for (const auto& result : backend.results) {
    if (result) {
      ++counts.by_verdict[static_cast<std::size_t>(result->verdict)];
    } else {
      ++counts.not_run;
    }
  }
  return counts;
}

std::size_t count_lowered(const BackendRun& backend) {
  std::size_t lowered = 0;
  for (const auto& result : backend.results) {
    if (result && !result->lowered.empty()) ++lowered;
  }
  for (const Tally& tally : backend.tallies) lowered += tally.lowered;
  return lowered;
}

std::size_t failed_pools(const BackendRun& backend) {
  return static_cast<std::size_t>(
      std::count_if(backend.pools.begin(), backend.pools.end(),
                    [](const Pool& pool) { return !pool.finding.passed(); }));
}

Conclusion conclude(const BackendRun& backend, bool narrowed) {
  const Counts counts = count(backend);
  if (counts.failed() + failed_pools(backend) > 0 || !backend.misconduct.empty()) {
    return Conclusion::kDoesNot;
  }
  if (!why_unknown(counts, backend, narrowed).empty()) return Conclusion::kUnknown;
  if (narrowed) return Conclusion::kSelected;
  return counts.of(Verdict::kDeclined) > 0 ? Conclusion::kServes : Conclusion::kConforms;
}

std::string_view to_string(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kConforms:
      return "yes";
    case Conclusion::kServes:
      return "served";
    case Conclusion::kSelected:
      return "selected";
    case Conclusion::kDoesNot:
      return "no";
    case Conclusion::kUnknown:
      return "unknown";
  }
  return {};
}

std::vector<std::string> shipped_in(const BackendRun& backend, const RunDescription& description) {
  const auto found = description.shipped.find(backend.spec.text);
  return found == description.shipped.end() ? std::vector<std::string>() : found->second;
}

namespace {

// What a reader must know to trust the verdict.
std::string caveats(const BackendRun& backend, const RunDescription& description) {
  std::string text;
  for (const std::string& name : shipped_in(backend, description)) {
    text += fmt::format(", runs Concord's own backend {}", name);
  }
  const SandboxLevel level = backend.identity.confinement.level;
  if (level != SandboxLevel::kNamespaces) {
    text += fmt::format(", sandbox: {}", concord::to_string(level));
  }
  return text;
}

}  // namespace

std::string verdict_text(const BackendRun& backend, const RunDescription& description) {
  if (!backend.error.empty()) return "cannot be judged - " + backend.error;
  const Counts counts = count(backend);
  std::string text =
      fmt::format("{} - {} passed, {} failed, {} vacuous, {} declined",
                  conclusion_text(counts, backend, description.is_part()),
                  grouped(counts.of(Verdict::kPass)), grouped(counts.of(Verdict::kFail)),
                  grouped(counts.of(Verdict::kVacuous)), grouped(counts.of(Verdict::kDeclined)));
  const auto add = [&](std::size_t number, std::string_view what) {
    if (number > 0) text += fmt::format(", {} {}", grouped(number), what);
  };
  add(counts.of(Verdict::kClaimBroken), "claims broken");
  add(counts.of(Verdict::kCrash), "crashed");
  add(counts.of(Verdict::kHang), "hung");
  add(counts.of(Verdict::kHarnessError), "harness errors");
  add(counts.not_run, "not run");
  add(count_normwise(backend), "judged normwise");
  add(count_lowered(backend), "judged lowered");
  add(failed_pools(backend), "pooled statistics failed");
  if (!backend.abandoned.empty()) text += ", " + backend.abandoned;
  if (!backend.misconduct.empty()) text += ", " + backend.misconduct;
  return fmt::format("{}{} ({})", text, caveats(backend, description), description.scope);
}

std::string headline(const BackendRun& backend, const RunDescription& description) {
  return backend.spec.text + ": " + verdict_text(backend, description);
}

int exit_code(const RunOutcome& outcome, bool narrowed) {
  bool unknown = outcome.backends.empty();
  for (const BackendRun& backend : outcome.backends) {
    const Conclusion conclusion = conclude(backend, narrowed);
    if (conclusion == Conclusion::kDoesNot) return 1;
    if (conclusion == Conclusion::kUnknown) unknown = true;
  }
  return unknown ? 2 : 0;
}

std::string effective_bits_text(const RunOutcome& outcome) {
  std::string text;
  for (const BackendRun& backend : outcome.backends) {
    for (const Pool& pool : backend.pools) {
      if (pool.all_lengths) {
        text += fmt::format("{}effective bits of {}, {} {}: {:.1f}; by products",
                            text.empty() ? "" : "\n", shown_name(outcome, backend),
                            to_string(pool.dtype), pool.arithmetic, pool.finding.effective_bits);
      } else {
        text += fmt::format(" {}:{:.1f}", pool.most_products, pool.finding.effective_bits);
      }
    }
  }
  if (!text.empty()) text += '\n';
  return text;
}

std::string failed_pools_text(const RunOutcome& outcome) {
  std::string text;
  for (const BackendRun& backend : outcome.backends) {
    for (const Pool& pool : backend.pools) {
      if (pool.finding.passed()) continue;
      text += fmt::format("{}: FAIL statistics of {}: {}\n", shown_name(outcome, backend),
                          describe(pool), describe(pool.finding));
    }
  }
  return text;
}

std::string outputs_text(const RunOutcome& outcome) {
  std::string text;
  for (const BackendRun& backend : outcome.backends) {
    std::array<std::size_t, std::size(kDtypes)> judged{};
    std::size_t wrong = 0;
    for (const auto* part : {&backend.listed, &backend.tallies}) {
      for (const Tally& tally : *part) {
        judged[static_cast<std::size_t>(tally.dtype)] += tally.elements;
        wrong += tally.wrong;
      }
    }
    std::string counts;
    for (const Dtype dtype : kDtypes) {
      const std::size_t count = judged[static_cast<std::size_t>(dtype)];
      if (count == 0) continue;
      counts +=
          fmt::format("{}{} {}", counts.empty() ? "" : ", ", to_string(dtype), grouped(count));
    }
    if (counts.empty()) continue;
    text += fmt::format("judged outputs of {}: {}; wrong: {}\n", shown_name(outcome, backend),
                        counts, grouped(wrong));
  }
  return text;
}

std::string covering_text(const RunOutcome& outcome, const RunDescription& description) {
  std::string text;
  for (std::size_t b = 0; b < description.judged_covering.size(); ++b) {
    const auto& covering = description.judged_covering[b];
    if (!covering) continue;
    text += fmt::format(
        "covered by the judged cases of {}: {} pairs and {} triples of attribute levels\n",
        shown_name(outcome, outcome.backends[b]), part_text(covering->pairs, covering->all_pairs),
        part_text(covering->triples, covering->all_triples));
  }
  return text;
}

std::string describe_failure(const Case& source, const CaseResult& result,
                             std::string_view replay_command) {
  std::string text =
      fmt::format("{} {}\n  problem  {}\n  data     {}, seed {}\n", to_string(result.verdict),
                  source.id, print(source.problem), to_string(source.fill), source.seed);
  if (!result.lowered.empty()) text += fmt::format("  lowered  {}\n", result.lowered);
  if (!result.reason.empty()) text += fmt::format("  reason   {}\n", result.reason);
  if (result.failure) {
    text += fmt::format("  element  {}\n", element_text(*result.failure));
  }
  return text + fmt::format("  replay   {}\n", replay_command);
}

}  // namespace concord::conformance
