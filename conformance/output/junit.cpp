// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "conformance/output/results.h"
#include "conformance/output/summary.h"

namespace concord::conformance {
namespace {

// Text for an attribute or an element: markup is escaped, what XML 1.0 cannot hold becomes '?'.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\n':
        safe += "&#10;";
        break;
      case '\t':
        safe += "&#9;";
        break;
      default:
        // Plugins may say anything; beyond ASCII it need not be UTF-8.
        safe +=
            static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E ? '?' : c;
    }
  }
  return safe;
}

std::string outcome_element(const Case& source, const CaseResult& result,
                            const BackendSpec& backend, const RunDescription& description) {
  const auto element = [&](std::string_view tag) {
    return fmt::format(
        "<{0} type=\"{1}\" message=\"{2}\">{3}</{0}>", tag, to_string(result.verdict),
        escaped(result.reason),
        escaped(describe_failure(source, result, replay_command(source, backend, description))));
  };
  if (is_failure(result.verdict)) return element("failure");
  if (result.verdict == Verdict::kHarnessError) return element("error");
  if (result.verdict == Verdict::kPass) {
    return result.lowered.empty()
               ? std::string()
               : fmt::format("<system-out>lowered to {}</system-out>", escaped(result.lowered));
  }
  return fmt::format("<skipped message=\"{} {}\"/>", to_string(result.verdict),
                     escaped(result.reason));
}

bool has_failed(const Tally& tally) { return Counts{tally.by_verdict}.failed() > 0; }

// What is counted and not listed: a testcase for each family, operation and dtype.
std::string tally_xml(const BackendRun& backend, const Tally& tally) {
  const std::string message = fmt::format("{} of {} unlisted cases failed",
                                          Counts{tally.by_verdict}.failed(), tally.cases());
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}/{}/{}: {} cases\">{}</testcase>\n",
      escaped(backend.spec.text), escaped(tally.family), to_string(tally.operation),
      to_string(tally.dtype), tally.cases(),
      !has_failed(tally) ? "" : fmt::format("<failure type=\"FAIL\" message=\"{}\"/>", message));
}

std::string suite_xml(const CaseList& cases, const BackendRun& backend,
                      const RunDescription& description) {
  const Counts counts = count_listed(backend);
  const auto failed_tallies = static_cast<std::size_t>(
      std::count_if(backend.tallies.begin(), backend.tallies.end(), has_failed));
  const bool broken = !backend.error.empty(), ended_badly = !backend.bad_end.empty();
  std::string xml = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "timestamp=\"{}\">\n",
      escaped(backend.spec.text),
      (broken ? 1 : backend.results.size()) + backend.tallies.size() + backend.pools.size() +
          (ended_badly ? 1 : 0),
      counts.failed() + failed_tallies + failed_pools(backend) + (ended_badly ? 1 : 0),
      counts.of(Verdict::kHarnessError) + (broken ? 1 : 0),
      counts.of(Verdict::kDeclined) + counts.of(Verdict::kVacuous) + counts.not_run,
      escaped(description.started));
  if (description.lower) {
    xml += fmt::format("    <properties><property name=\"lowered\" value=\"{}\"/></properties>\n",
                       count_lowered(backend));
  }
  if (broken) {
    xml += fmt::format(
        "    <testcase classname=\"{}\" name=\"load\"><error message=\"{}\"/></testcase>\n",
        escaped(backend.spec.text), escaped(backend.error));
  }
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">{}</testcase>\n",
                       escaped(backend.spec.text), escaped(cases[i].id),
                       result ? result->milliseconds / 1000 : 0.0,
                       result ? outcome_element(cases[i], *result, backend.spec, description)
                              : "<skipped message=\"not run\"/>");
  }
  for (const Tally& tally : backend.tallies) xml += tally_xml(backend, tally);
  for (const Pool& pool : backend.pools) {
    xml +=
        fmt::format("    <testcase classname=\"{}\" name=\"statistics/{}\">{}</testcase>\n",
                    escaped(backend.spec.text), escaped(describe(pool)),
                    pool.finding.passed() ? ""
                                          : fmt::format("<failure type=\"FAIL\" message=\"{}\"/>",
                                                        escaped(describe(pool.finding))));
  }
  if (ended_badly) {
    xml += fmt::format(
        "    <testcase classname=\"{}\" name=\"close\"><failure type=\"CRASH\" message=\"{}\"/>"
        "</testcase>\n",
        escaped(backend.spec.text), escaped(backend.bad_end));
  }
  return xml + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const CaseList& cases, const RunOutcome& outcome,
                      const RunDescription& description) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"concord\">\n";
  for (const BackendRun& backend : outcome.backends) xml += suite_xml(cases, backend, description);
  return xml + "</testsuites>\n";
}

}  // namespace concord::conformance
