// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/wisdom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace concord::optimized {
namespace {

using ::testing::HasSubstr;

const PlanChoice kTiles = {"tiles", {3, 14, TileRows::kColumns}, 256};
const PlanChoice kGroups = {"groups", {}, 0};

TEST(PlanChoice, IsReadAsItIsWritten) {
  for (const PlanChoice& choice :
       {kTiles, kGroups, PlanChoice{}, PlanChoice{"tiles", {1, 28, TileRows::kImages}, 0}}) {
    EXPECT_EQ(parse_choice(to_string(choice)), choice) << to_string(choice);
  }
  EXPECT_EQ(to_string(kTiles), "tiles vectors=3 pixels=14 rows=columns channels=256");
}

TEST(PlanChoice, IsNoOtherText) {
  for (const char* const text :
       {"", "tile", "groups 1", "tiles vectors=3 pixels=14 rows=columns",
        "tiles vectors=3 pixels=14 rows=columns channels=256 more=1",
        "tiles vectors=0 pixels=14 rows=rows channels=0",
        "tiles vectors=5 pixels=14 rows=rows channels=0",
        "tiles vectors=3 pixels=29 rows=rows channels=0",
        "tiles vectors=3 pixels=-1 rows=rows channels=0",
        "tiles vectors=3 pixels=14 rows=up channels=0",
        "tiles vectors=3 pixels=14 rows=rows channels=-1",
        "tiles vectors=3 pixels=14 rows=rows channels=99999999999999999999",
        "tiles vectors=3x pixels=14 rows=rows channels=0",
        "tiles pixels=14 vectors=3 rows=rows channels=0"}) {
    EXPECT_EQ(parse_choice(text), std::nullopt) << text;
  }
}

class WisdomTest : public ::testing::Test {
 protected:
  WisdomTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~WisdomTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/wisdom.txt"; }
  std::shared_ptr<Wisdom> opened() const {
    auto wisdom = Wisdom::open(path());
    EXPECT_TRUE(wisdom);
    return *wisdom;
  }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::app) << text; }

  std::string folder_ = ::testing::TempDir() + "wisdom_" + std::to_string(getpid());
};

TEST_F(WisdomTest, KeepsChoicesOfProblemsAndSettings) {
  {
    const auto wisdom = opened();
    EXPECT_EQ(wisdom->find("here", "a b"), std::nullopt);
    wisdom->add("here", "a b", kTiles);
    wisdom->add("there", "a b", kGroups);
    EXPECT_EQ(wisdom->find("here", "a b"), kTiles);
  }
  const auto wisdom = opened();
  EXPECT_EQ(wisdom->find("here", "a b"), kTiles);
  EXPECT_EQ(wisdom->find("there", "a b"), kGroups);
  EXPECT_EQ(wisdom->find("here", "a c"), std::nullopt);
  wisdom->add("here", "a b", PlanChoice{});
  EXPECT_EQ(opened()->find("here", "a b"), PlanChoice{}) << "the later line counts";
}

TEST_F(WisdomTest, IsSharedByProcesses) {
  const auto one = opened(), other = opened();
  one->add("here", "a", kTiles);
  other->add("here", "b", kGroups);
  EXPECT_EQ(opened()->find("here", "a"), kTiles);
  EXPECT_EQ(opened()->find("here", "b"), kGroups);
}

TEST_F(WisdomTest, SurvivesALineThatWasNotFinished) {
  opened()->add("here", "a", kTiles);
  write("here\ttiles vec");
  opened()->add("here", "b", kGroups);
  const auto wisdom = opened();
  EXPECT_EQ(wisdom->find("here", "a"), kTiles);
  EXPECT_EQ(wisdom->find("here", "b"), kGroups);
}

TEST_F(WisdomTest, RefusesAFileThatIsNone) {
  write("{\"results\": []}\n");
  const auto wisdom = Wisdom::open(path());
  ASSERT_FALSE(wisdom);
  EXPECT_THAT(wisdom.why().detail, HasSubstr(path() + " begins with '{\"results\": []}"));
}

TEST_F(WisdomTest, SaysWhyAFileCannotBeMade) {
  const auto wisdom = Wisdom::open(folder_ + "/none/wisdom.txt");
  ASSERT_FALSE(wisdom);
  EXPECT_THAT(wisdom.why().detail, HasSubstr("/none/wisdom.txt cannot be made: No such file"));
}

TEST_F(WisdomTest, RefusesWhatIsNoRegularFile) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {folder_, pipe, std::string("/dev/zero")}) {
    const auto wisdom = Wisdom::open(path);
    ASSERT_FALSE(wisdom);
    EXPECT_THAT(wisdom.why().detail, HasSubstr(path + " is no regular file"));
  }
}

// Where a file system can only be read, or is full. Root may write to any file, so it is removed.
TEST_F(WisdomTest, GoesOnWhereItCannotBeWritten) {
  opened()->add("here", "a", kTiles);
  const auto wisdom = opened();
  std::filesystem::remove_all(folder_);
  wisdom->add("here", "b", kGroups);
  EXPECT_EQ(wisdom->find("here", "a"), kTiles);
  EXPECT_EQ(wisdom->find("here", "b"), kGroups);
}

}  // namespace
}  // namespace concord::optimized
