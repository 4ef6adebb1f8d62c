// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace concord::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CaseResult ended(Verdict verdict, const std::string& reason = "") {
  CaseResult result;
  result.verdict = verdict;
  result.reason = reason;
  result.tier = Tier::kExact;
  result.elements = 6;
  result.resolution = 1e-7;
  return result;
}

std::vector<Case> cases_of(std::size_t count, const char* line) {
  Case made;
  made.problem = *parse(line);
  return std::vector<Case>(count, made);
}

std::vector<Case> convolutions(std::size_t count) {
  return cases_of(count, "Convolution f32 src=1x1x3 weights=1x1x2 data_format=NCX");
}

BackendRun backend_called(const std::string& text, const std::vector<Verdict>& verdicts,
                          const std::string& name = "") {
  BackendRun backend;
  backend.spec = {.text = text, .path = "", .config = ""};
  backend.identity.name = name;
  for (const Verdict verdict : verdicts) backend.results.emplace_back(ended(verdict));
  backend.listed = tallies_of(convolutions(verdicts.size()), backend.results);
  return backend;
}

std::string table_of(const RunOutcome& outcome, bool coloured = false) {
  return table(outcome, false, coloured);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Table, HasColumnsForWhatOccurs) {
  EXPECT_EQ(table_of({.backends = {backend_called("some", {Verdict::kPass, Verdict::kPass})}}),
            "backend  passed  failed  declined  conforms\n"
            "some          2       0         0  yes\n");
  EXPECT_EQ(table_of({.backends = {backend_called("some", {Verdict::kCrash, Verdict::kVacuous}),
                                   backend_called("b", {Verdict::kPass, Verdict::kDeclined})}}),
            "backend  passed  failed  vacuous  declined  crashes  conforms\n"
            "some          0       0        1         0        1  no\n"
            "b             1       0        0         1        0  as served\n");
}

TEST(Table, FitsIntoEightyColumnsWhateverOccursAndHoweverLongTheNameIs) {
  std::vector<Verdict> verdicts(std::begin(kVerdicts), std::end(kVerdicts));
  auto every = backend_called("/a/long/path/to/some/library/of/a/vendor/libvendor.so", verdicts);
  every.results.emplace_back(std::nullopt);
  const std::string joined = table_of({.backends = {every}});
  EXPECT_LE(widest_line(joined), kTableWidth);
  EXPECT_EQ(joined.find("crashes"), std::string::npos);
  EXPECT_THAT(joined, HasSubstr("others"));
  EXPECT_THAT(joined, HasSubstr("       5  no\n"));  // claims, crashes, hangs, errors, not run
  EXPECT_THAT(joined, HasSubstr("/libvendor.so"));
  EXPECT_THAT(joined, HasSubstr(".."));

  verdicts.assign(400000, Verdict::kPass);
  const std::string large = table_of({.backends = {backend_called(every.spec.text, verdicts)}});
  EXPECT_LE(widest_line(large), kTableWidth);
  EXPECT_THAT(large, HasSubstr("400,000"));
}

TEST(Table, IsColouredByTheVerdictAlone) {
  const RunOutcome outcome = {.backends = {backend_called("a", {Verdict::kPass}),
                                           backend_called("b", {Verdict::kFail}),
                                           backend_called("c", {Verdict::kDeclined})}};
  const std::string text = table_of(outcome, true);
  EXPECT_THAT(text, HasSubstr("\x1b[32myes\x1b[0m\n"));
  EXPECT_THAT(text, HasSubstr("\x1b[1;31mno\x1b[0m\n"));
  EXPECT_THAT(text, HasSubstr("\x1b[33mno verdict\x1b[0m\n"));
  EXPECT_THAT(table_of(outcome), Not(HasSubstr("\x1b")));
}

TEST(ShownName, IsThatOfTheProgramUnlessTwoShareIt) {
  RunOutcome outcome = {.backends = {backend_called("exec:python3 /a/plugin.py", {}, "mine"),
                                     backend_called("./mine.so", {}, "mine"),
                                     backend_called("exec:no such program", {})}};
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& each : outcome.backends) all.push_back(shown_name(outcome, each));
    return all;
  };
  EXPECT_THAT(names(), testing::ElementsAre("exec:mine", "./mine.so", "exec:no such program"));
  outcome.backends.push_back(backend_called("exec:node plugin.js", {}, "mine"));
  EXPECT_THAT(names(), testing::ElementsAre("exec:python3 /a/plugin.py", "./mine.so",
                                            "exec:no such program", "exec:node plugin.js"));
}

TEST(DeclinedText, CountsTheThreeMostFrequentReasons) {
  BackendRun backend = backend_called("some", {Verdict::kPass});
  for (const auto& [reason, times] :
       {std::pair{"no bias", 2}, {"no groups", 4}, {"no pads", 1}, {"no strides", 3}}) {
    for (int i = 0; i < times; ++i) {
      backend.results.emplace_back(ended(Verdict::kDeclined, reason));
    }
  }
  const RunOutcome outcome = {.backends = {backend}};
  const auto cases = convolutions(backend.results.size());
  EXPECT_EQ(declined_text(cases, outcome, backend, false),
            "some declined 10 cases, mostly:\n"
            "        4  no groups\n"
            "        3  no strides\n"
            "        2  no bias\n");
  EXPECT_EQ(declined_text(cases, outcome, backend_called("some", {Verdict::kPass}), false), "");
}

TEST(ToDoText, IsTheCaseOfTheShortestLineAmongThoseOfTheMostFrequentReason) {
  BackendRun backend = backend_called("./mine.so", {Verdict::kPass});
  for (const char* reason : {"no groups", "no strides", "no strides", "no strides", "no strides"}) {
    backend.results.emplace_back(ended(Verdict::kDeclined, reason));
  }
  std::vector<Case> cases;
  // The shortest one of all is invalid.
  for (const char* strides :
       {"", "", " strides=10,10", " strides=2,2", " strides=4,4", " strides=0"}) {
    cases.push_back(
        cases_of(1, (std::string("Convolution f32 src=1x5x5x2 weights=1x1x2x2") + strides).c_str())
            .front());
    cases.back().id = "case/" + std::to_string(cases.size());
    cases.back().seed = cases.size();
  }
  EXPECT_EQ(to_do_text(cases, backend, {}),
            "To serve the most frequent of these, begin with case/4:\n"
            "  problem  " +
                print(cases[3].problem) + "\n  replay   " +
                replay_command(cases[3], backend.spec, {}) + "\n");
  EXPECT_THAT(to_do_text(cases, backend, {}), HasSubstr("concord replay --backend ./mine.so"));
  EXPECT_EQ(to_do_text(cases, backend_called("./mine.so", {Verdict::kPass}), {}), "");
}

TEST(DeclinedText, NamesLowerWhereItWouldHelp) {
  BackendRun backend = backend_called("some", {Verdict::kDeclined});
  const RunOutcome outcome = {.backends = {backend}};
  const auto atrous =
      cases_of(1, "AtrousConv2d f32 src=1x5x5x1 weights=2x2x1x1 rate=1 padding=SAME");
  EXPECT_THAT(declined_text(atrous, outcome, backend, false),
              HasSubstr("1 are of operations that --lower"));
  EXPECT_THAT(declined_text(atrous, outcome, backend, true), Not(HasSubstr("--lower")));
  const auto blocks = cases_of(1, "SpaceToBatch f32 src=1x4x4x1 block_size=2");
  EXPECT_THAT(declined_text(blocks, outcome, backend, false), Not(HasSubstr("--lower")));
  EXPECT_THAT(declined_text(convolutions(1), outcome, backend, false), Not(HasSubstr("--lower")));
}

}  // namespace
}  // namespace concord::conformance
