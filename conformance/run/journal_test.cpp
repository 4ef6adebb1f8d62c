// SPDX-License-Identifier: Apache-2.0
// Journal alone: what it records, what is left of it by a run that was killed or files that were
// spoilt, and what it takes over.
#include "conformance/run/journal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conformance/record/brief_result.h"
#include "conformance/record/result_json.h"

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Optional;
using Json = nlohmann::ordered_json;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    std::string pattern = (fs::temp_directory_path() / "concord-journal-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    path_ = directory_ / "results.json.journal";
  }
  ~JournalTest() override { fs::remove_all(directory_); }

  static CaseResult failure() {
    CaseResult result;
    result.verdict = Verdict::kFail;
    result.tier = Tier::kInterval;
    result.reason = "3 of 8 elements are wrong";
    result.arithmetic = "f32";
    result.elements = 8;
    result.wrong = 3;
    result.margin = 1.0 / 3.0;
    result.failure =
        Failure{{0, 2, 1},          -std::numeric_limits<double>::infinity(), 0.1, 1e-7, 0.1, 0.125,
                "from 0.1 to 0.125"};
    result.milliseconds = 0.25;
    return result;
  }
  // Of random data: with sums of errors.
  static CaseResult pass() {
    CaseResult result;
    result.verdict = Verdict::kPass;
    result.tier = Tier::kStatistical;
    result.arithmetic = "strict";
    result.implementation = "tiles: 3 blocks of 4";
    result.elements = 12;
    result.margin = 1.0 / 3.0;
    result.resolution = 1e-7 / 3.0;
    result.errors = TensorErrors{9, {12, 0.1, 1e-14 / 3, 11, -0.7, 0.3, 1e300, 2}};
    result.milliseconds = 0.25;
    return result;
  }
  std::string write_one() {
    Journal journal;
    EXPECT_EQ(journal.start(path_, run_), std::nullopt);
    journal.begin({"b", "one"});
    journal.end({"b", "one"}, failure());
    journal.begin({"b", "two"});
    return path_;
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  fs::path directory_, path_;
  const Json run_ = {{"scope", "smoke, seed 1"}};
};

TEST_F(JournalTest, LeavesTheOldOneWhereTheNewOneCannotBeWritten) {
  write_one();
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{256, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto said = Journal().start(path_, {{"scope", std::string(1000, 'x')}});
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THAT(said, Optional(HasSubstr("cannot write " + path_.string() + ": File too large")));
  Journal journal;
  const auto resumed = journal.resume(path_, run_);
  EXPECT_EQ(resumed.value().size(), 1U);
}

TEST_F(JournalTest, GivesBackEveryFinishedCaseExactly) {
  write_one();
  Journal journal;
  const auto resumed = journal.resume(path_, run_);
  const auto& known = resumed.value();
  ASSERT_EQ(known.size(), 1U);  // "two" was begun, never ended
  const CaseResult& got = known.at({"b", "one"});
  EXPECT_EQ(got.verdict, Verdict::kFail);
  EXPECT_EQ(got.tier, Tier::kInterval);
  EXPECT_EQ(got.reason, failure().reason);
  EXPECT_EQ(got.arithmetic, "f32");
  EXPECT_EQ(got.wrong, 3U);
  EXPECT_EQ(got.margin, failure().margin);
  EXPECT_EQ(got.failure, failure().failure);
}

TEST_F(JournalTest, GivesBackEveryPassedCaseWithTheSameNumbers) {
  {
    Journal journal;
    EXPECT_EQ(journal.start(path_, run_), std::nullopt);
    for (const char* backend : {"a", "b"}) {
      for (const char* id : {"one", "two"}) {
        journal.begin({backend, id});
        CaseResult result = pass();
        result.elements = backend[0] == 'a' ? 1 : 2;
        if (id[0] == 't') result.errors.reset();
        journal.end({backend, id}, result);
      }
    }
  }
  Journal journal;
  const auto resumed = journal.resume(path_, run_);
  const auto& known = resumed.value();
  ASSERT_EQ(known.size(), 4U);
  const CaseResult& got = known.at({"b", "one"});
  EXPECT_EQ(outcome_key(got), outcome_key(pass()));
  EXPECT_EQ(got.implementation, "tiles");
  EXPECT_EQ(got.elements, 2U);
  EXPECT_EQ(got.margin, pass().margin);
  EXPECT_EQ(got.resolution, pass().resolution);
  EXPECT_EQ(got.milliseconds, 0.25);
  ASSERT_TRUE(got.errors);
  EXPECT_EQ(got.errors->products, 9);
  EXPECT_EQ(sums_json(got.errors->sums), sums_json(pass().errors->sums));
  EXPECT_EQ(known.at({"a", "one"}).elements, 1U);
  EXPECT_FALSE(known.at({"b", "two"}).errors);
}

TEST_F(JournalTest, GoesOnCountingWhereAnEarlierRunStopped) {
  write_one();
  for (const char* id : {"two", "three"}) {
    Journal journal;
    ASSERT_TRUE(journal.resume(path_, run_));
    journal.begin({"b", id});
    journal.end({"b", id}, pass());
  }
  Journal journal;
  const auto resumed = journal.resume(path_, run_);
  const auto& known = resumed.value();
  ASSERT_EQ(known.size(), 3U);
  EXPECT_EQ(known.at({"b", "one"}).verdict, Verdict::kFail);
  EXPECT_EQ(known.at({"b", "three"}).tier, Tier::kStatistical);
}

TEST_F(JournalTest, KnowsWhichCasesWereRunningWhenARunWasKilled) {
  write_one();  // "two" was begun, never ended
  {
    Journal journal;
    ASSERT_TRUE(journal.resume(path_, run_));
    EXPECT_EQ(journal.deaths_during({"b", "one"}), 0);
    EXPECT_EQ(journal.deaths_during({"b", "two"}), 1);
    journal.begin({"b", "two"});
    journal.begin({"b", "three"});
  }
  {
    Journal journal;
    ASSERT_TRUE(journal.resume(path_, run_));
    EXPECT_EQ(journal.deaths_during({"b", "two"}), 2);
    EXPECT_EQ(journal.deaths_during({"b", "three"}), 1);
    EXPECT_EQ(journal.deaths().size(), 2U);
    journal.begin({"b", "two"});
    journal.end({"b", "two"}, pass());
  }
  Journal journal;
  ASSERT_TRUE(journal.resume(path_, run_));
  EXPECT_EQ(journal.deaths_during({"b", "two"}), 0);
  EXPECT_EQ(journal.deaths_during({"b", "three"}), 1);
}

TEST_F(JournalTest, BlamesNoCaseForARunThatStoppedInOrder) {
  write_one();
  {
    Journal journal;
    ASSERT_TRUE(journal.resume(path_, run_));
    journal.begin({"b", "two"});
    journal.stop();
  }
  {
    Journal journal;
    const auto resumed = journal.resume(path_, run_);
    EXPECT_EQ(resumed.value().size(), 1U);
    EXPECT_TRUE(journal.deaths().empty());
    journal.begin({"b", "three"});
  }
  Journal journal;
  ASSERT_TRUE(journal.resume(path_, run_));
  EXPECT_EQ(journal.deaths_during({"b", "two"}), 0);
  EXPECT_EQ(journal.deaths_during({"b", "three"}), 1);
}

TEST_F(JournalTest, NeedsFewBytesForAPassedCase) {
  Journal journal;
  EXPECT_EQ(journal.start(path_, run_), std::nullopt);
  constexpr int kCases = 1000;
  const auto before = fs::file_size(path_);
  for (int i = 0; i < kCases; ++i) {
    const std::string id = "tuples/" + std::to_string(100000 + i) + "/f32/integers";
    CaseResult result = pass();
    if (i % 6 != 0) result.errors.reset();  // as in smoke
    journal.begin({"optimized", id});
    journal.end({"optimized", id}, result);
  }
  EXPECT_LE(fs::file_size(path_) - before, 120 * kCases);
}

TEST_F(JournalTest, GivesBackIdsThatBeginAndEndAlikeAndCasesThatEndInAnotherOrder) {
  const std::vector<std::string> ids = {
      "aaa", "aa", "aaaa", "", "a/\xc3\xa9/b", "a/\xc3\xa8/b", "x/1/f32/wide", "x/12/f32/wide"};
  {
    Journal journal;
    EXPECT_EQ(journal.start(path_, run_), std::nullopt);
    for (std::size_t i = 0; i < ids.size(); i += 2) {  // by two jobs
      journal.begin({"b", ids[i]});
      journal.begin({"b", ids[i + 1]});
      for (const std::size_t place : {i, i + 1}) {
        CaseResult result = place % 3 == 0 ? failure() : pass();
        result.elements = place;
        journal.end({"b", ids[place]}, result);
      }
    }
  }
  Journal journal;
  const auto resumed = journal.resume(path_, run_);
  const auto& known = resumed.value();
  ASSERT_EQ(known.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(known.at({"b", ids[i]}).elements, i);
}

TEST_F(JournalTest, KeepsBatches) {
  {
    Journal journal;
    EXPECT_EQ(journal.start(path_, run_), std::nullopt);
    journal.end_batch({{"number", 3}});
  }
  Journal journal;
  EXPECT_TRUE(journal.resume(path_, run_)->empty());
  EXPECT_EQ(journal.batches(), std::vector<Json>{Json({{"number", 3}})});
}

TEST_F(JournalTest, ReadsNoLineThatNoRunWrites) {
  for (const char* record : {"7",
                             "[9,9,9,9,9,9]",
                             "[1,99,1,null,null,1]",
                             R"(["x",0,"y",0])",
                             R"([9,0,"y",0])",
                             R"([0,99,"y",0])",
                             R"([0,0,"y",4])",
                             R"({"end":1})",
                             R"({"end":0,"result":{}})",
                             R"([5e41,0,"y",0])",
                             R"([0,5e41,"y",0])",
                             R"([0,0,"y",5e41])",
                             R"([0.5,0,"y",0])",
                             "[5e41,0,1,null,null,1]",
                             "[1,5e41,1,null,null,1]",
                             R"({"end":5e41,"result":{}})",
                             R"({"outcome":{"verdict":"GOOD"}})",
                             R"({"end":77,"result":{}})",
                             "{",
                             ""}) {
    write_one();
    const auto size = fs::file_size(path_);
    const std::vector<std::string> good = lines();
    RecordChain chain;
    for (const std::string& line : good) ASSERT_TRUE(chain.record_of(line));
    std::ofstream(path_, std::ios::app) << chain.line_of(record) << '\n';
    Journal journal;
    EXPECT_EQ(journal.resume(path_, run_).value().size(), 1U) << record;
    EXPECT_THAT(journal.damage(), Optional(HasSubstr(fmt::format("in line {},", good.size() + 1))))
        << record;
    EXPECT_EQ(fs::file_size(path_), size) << record;
  }
}

// Each way of damaging each line of a journal, and the number of the line that shows it.
struct Damage {
  const char* name;
  void (*make)(std::vector<std::string>& lines, std::size_t at);
};
constexpr std::array<Damage, 6> kDamages = {{
    {"altered", [](auto& lines, auto at) { lines[at].back() ^= 1; }},
    {"another verdict",
     [](auto& lines, auto at) {
       const auto found = lines[at].find("FAIL");
       lines[at].replace(found == std::string::npos ? 13 : found, 4, "PASS");
     }},
    {"dropped",
     [](auto& lines, auto at) { lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); }},
    {"swapped", [](auto& lines, auto at) { std::swap(lines[at], lines[at + 1]); }},
    {"doubled",
     [](auto& lines, auto at) {
       lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
     }},
    {"zeros", [](auto& lines, auto at) { lines[at].assign(lines[at].size(), '\0'); }},
}};

TEST_F(JournalTest, FindsEachLineThatWasAlteredDroppedSwappedOrDoubled) {
  {
    Journal journal;
    EXPECT_EQ(journal.start(path_, run_), std::nullopt);
    for (const char* id : {"one", "two", "three", "four"}) {
      journal.begin({"b", id});
      journal.end({"b", id}, id[0] == 't' ? failure() : pass());
    }
  }
  const std::vector<std::string> good = lines();
  for (const Damage& damage : kDamages) {
    for (std::size_t at = 1; at + 1 < good.size(); ++at) {
      std::vector<std::string> bad = good;
      damage.make(bad, at);
      std::ofstream file(path_);
      for (const std::string& line : bad) file << line << '\n';
      file.close();
      const std::size_t shows = at + (damage.name == std::string("doubled") ? 2 : 1);
      const auto why = [&] { return fmt::format("{} at line {}", damage.name, at + 1); };
      std::optional<Journal> journal(std::in_place);
      const auto known = journal->resume(path_, run_);
      ASSERT_TRUE(known) << why();
      EXPECT_THAT(journal->damage(), Optional(HasSubstr(fmt::format("in line {},", shows))))
          << why();
      for (const auto& [key, result] : *known) {
        EXPECT_EQ(result.verdict, key.second[0] == 't' ? Verdict::kFail : Verdict::kPass) << why();
      }
      journal->end({"b", "five"}, pass());  // what is written behind it is good again
      journal.emplace();
      EXPECT_EQ(journal->resume(path_, run_).value().size(), known->size() + 1) << why();
      EXPECT_EQ(journal->damage(), std::nullopt) << why();
    }
  }
}

TEST_F(JournalTest, RefusesADamagedHead) {
  write_one();
  std::vector<std::string> all = lines();
  all[0].replace(all[0].find("smoke"), 5, "huge!");
  std::ofstream(path_) << all[0] << '\n' << all[1] << '\n';
  EXPECT_THAT(Journal().resume(path_, run_).why().detail, HasSubstr("damaged in line 1"));
}

TEST_F(JournalTest, RefusesTheJournalOfAnOlderConcord) {
  std::ofstream(path_) << R"({"journal":"concord-journal-2","run":{"scope":"smoke, seed 1"}})"
                       << '\n';
  EXPECT_THAT(Journal().resume(path_, run_).why().detail, HasSubstr("of an older Concord"));
}

TEST_F(JournalTest, GoesOnBehindALastLineThatWasCutOff) {
  write_one();
  std::ofstream(path_, std::ios::app) << R"({"end":["b","two"],"resu)";
  {
    Journal journal;
    EXPECT_EQ(journal.resume(path_, run_).value().size(), 1U);
    journal.end({"b", "two"}, failure());
  }
  Journal journal;
  EXPECT_EQ(journal.resume(path_, run_).value().size(), 2U);
}

TEST_F(JournalTest, GoesOnBehindAFirstLineThatWasCutOffBeforeItsEnd) {
  { Journal().start(path_, run_); }
  fs::resize_file(path_, fs::file_size(path_) - 1);
  {
    Journal journal;
    EXPECT_TRUE(journal.resume(path_, run_).value().empty());
    journal.end({"b", "one"}, failure());
  }
  Journal journal;
  EXPECT_EQ(journal.resume(path_, run_).value().size(), 1U);
}

// A run makes the file, by which it keeps others away, and puts its head there a moment later.
TEST_F(JournalTest, BeginsAnewWhereARunWasKilledBeforeItWroteTheHead) {
  std::ofstream(path_).flush();
  {
    Journal journal;
    EXPECT_TRUE(journal.resume(path_, run_).value().empty());
    journal.end({"b", "one"}, failure());
  }
  Journal journal;
  EXPECT_EQ(journal.resume(path_, run_).value().size(), 1U);
}

TEST_F(JournalTest, RefusesTheJournalOfAnotherRun) {
  write_one();
  Journal journal;
  const auto resumed = journal.resume(path_, {{"scope", "full, seed 1"}});
  EXPECT_THAT(resumed.why().detail, HasSubstr("another run"));
}

TEST_F(JournalTest, SaysInWhatTheOtherRunDiffers) {
  write_one();
  Journal journal;
  const auto resumed = journal.resume(path_, {{"scope", "smoke, seed 1"}, {"threads", 2}});
  EXPECT_THAT(resumed.why().detail, HasSubstr("threads was null, is 2"));
}

TEST_F(JournalTest, RefusesAJournalThatAnotherRunIsWriting) {
  std::optional<Journal> first(std::in_place);
  Journal second;
  EXPECT_EQ(first->start(path_, run_), std::nullopt);
  first->end({"b", "one"}, failure());
  EXPECT_THAT(second.start(path_, run_), Optional(HasSubstr("another run is writing")));
  EXPECT_THAT(second.resume(path_, run_).why().detail, HasSubstr("another run is writing"));
  first.reset();
  EXPECT_EQ(second.resume(path_, run_).value().size(), 1U);
}

TEST_F(JournalTest, TellsThatTheDiskIsFull) {
  Journal journal;
  EXPECT_EQ(journal.start(path_, run_), std::nullopt);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full{fs::file_size(path_), limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  journal.begin({"b", "one"});
  setrlimit(RLIMIT_FSIZE, &limit);
  (void)std::signal(SIGXFSZ, before);
  EXPECT_THAT(journal.trouble(), Optional(HasSubstr(path_.string() + ": File too large")));
}

TEST_F(JournalTest, RefusesAFileThatIsNoJournal) {
  std::ofstream(path_) << "hello\n";
  Journal journal;
  EXPECT_THAT(journal.resume(path_, run_).why().detail, HasSubstr("not a journal"));
  EXPECT_THAT(journal.resume(directory_ / "none", run_).why().detail, HasSubstr("cannot read"));
}

TEST_F(JournalTest, NamesAPathThatCannotBeWritten) {
  Journal journal;
  EXPECT_THAT(journal.start(directory_ / "no" / "where", run_), Optional(HasSubstr("no/where")));
}

}  // namespace
}  // namespace concord::conformance
