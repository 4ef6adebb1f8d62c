// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

// Of cases that are counted and not listed: the worst that became of one of them.
std::string outcome_element(const Tally& tally) {
  const std::size_t failed = Counts{tally.by_verdict}.failed(), cases = tally.cases();
  if (failed > 0) {
    return fmt::format("<failure type=\"FAIL\" message=\"{} of {} unlisted cases failed\"/>",
                       failed, cases);
  }
  const std::size_t errors = tally.of(Verdict::kHarnessError);
  if (errors > 0) {
    return fmt::format(
        "<error type=\"{}\" message=\"{} of {} unlisted cases ended in harness errors\"/>",
        to_string(Verdict::kHarnessError), errors, cases);
  }
  if (tally.of(Verdict::kPass) > 0) return {};
  return fmt::format(
      "<skipped message=\"none of {} unlisted cases passed: {} declined, {} vacuous\"/>", cases,
      tally.of(Verdict::kDeclined), tally.of(Verdict::kVacuous));
}

/// The testcases of one backend, and how many of them are not simply passed.
class Testsuite {
 public:
  explicit Testsuite(const BackendRun& backend) : name_(escaped(backend.spec.text)) {}

  /// `outcome` is the element that says what became of it; empty if it passed.
  void add(std::string_view name, std::string_view outcome, std::string_view more = {}) {
    text_ += fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}>{}</testcase>\n", name_,
                         escaped(name), more, outcome);
    ++tests_;
    failures_ += outcome.starts_with("<failure") ? 1U : 0U;
    errors_ += outcome.starts_with("<error") ? 1U : 0U;
    skipped_ += outcome.starts_with("<skipped") ? 1U : 0U;
  }
  std::string xml(const RunDescription& description, std::string_view properties) const {
    return fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "timestamp=\"{}\">\n{}{}  </testsuite>\n",
        name_, tests_, failures_, errors_, skipped_, escaped(description.started), properties,
        text_);
  }

 private:
  std::string name_, text_{};
  std::size_t tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
};

void add_listed(Testsuite& suite, const CaseList& cases, const BackendRun& backend,
                const RunDescription& description) {
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const Case source = cases[i];
    const auto& result = backend.results[i];
    suite.add(source.id,
              result ? outcome_element(source, *result, backend.spec, description)
                     : "<skipped message=\"not run\"/>",
              fmt::format(" time=\"{:.6f}\"", result ? result->milliseconds / 1000 : 0.0));
  }
}

// A testcase for each family, operation and dtype, and one for all that were not run.
void add_counted(Testsuite& suite, const BackendRun& backend) {
  for (const Tally& tally : backend.tallies) {
    suite.add(fmt::format("{}/{}/{}: {} cases", tally.family, to_string(tally.operation),
                          to_string(tally.dtype), tally.cases()),
              outcome_element(tally));
  }
  if (backend.unlisted_not_run == 0) return;
  suite.add(fmt::format("not run: {} cases", backend.unlisted_not_run),
            "<skipped message=\"not run\"/>");
}

std::string failure_element(std::string_view type, const std::string& message) {
  return fmt::format("<failure type=\"{}\" message=\"{}\"/>", type, escaped(message));
}

std::string suite_xml(const CaseList& cases, const BackendRun& backend,
                      const RunDescription& description) {
  Testsuite suite(backend);
  if (!backend.error.empty()) {
    suite.add("load", fmt::format("<error message=\"{}\"/>", escaped(backend.error)));
  }
  add_listed(suite, cases, backend, description);
  add_counted(suite, backend);
  for (const Pool& pool : backend.pools) {
    suite.add("statistics/" + describe(pool),
              pool.finding.passed() ? "" : failure_element("FAIL", describe(pool.finding)));
  }
  if (!backend.misconduct.empty())
    suite.add("open and close", failure_element("CRASH", backend.misconduct));
  const std::string lowered =
      fmt::format("    <properties><property name=\"lowered\" value=\"{}\"/></properties>\n",
                  count_lowered(backend));
  return suite.xml(description, description.lower ? lowered : "");
}

}  // namespace

std::string junit_xml(const CaseList& cases, const RunOutcome& outcome,
                      const RunDescription& description) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"concord\">\n";
  for (const BackendRun& backend : outcome.backends) xml += suite_xml(cases, backend, description);
  return xml + "</testsuites>\n";
}

}  // namespace concord::conformance
