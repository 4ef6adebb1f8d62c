// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

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

TEST_F(JournalTest, NeedsFewBytesForAPassedCase) {
  Journal journal;
  EXPECT_EQ(journal.start(path_, run_), std::nullopt);
  constexpr int kCases = 1000;
  const auto before = fs::file_size(path_);
  for (int i = 0; i < kCases; ++i) {
    const std::string id = "tuples/" + std::to_string(100000 + i) + "/f32/integers";
    CaseResult result = pass();
    if (i % 2 == 0) result.errors.reset();
    journal.begin({"optimized", id});
    journal.end({"optimized", id}, result);
  }
  EXPECT_LE(fs::file_size(path_) - before, 150 * kCases);
}

TEST_F(JournalTest, SkipsALineThatIsNotOurs) {
  write_one();
  std::ofstream(path_, std::ios::app)
      << "7\n[9,9,9,9,9,9]\n[0,99,1,null,null,1]\n[\"x\",\"y\"]\n{\"end\":0}\n"
      << R"({"end":77,"result":{}})"
      << "\n";
  Journal journal;
  EXPECT_EQ(journal.resume(path_, run_).value().size(), 1U);
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
