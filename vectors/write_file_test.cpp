// SPDX-License-Identifier: Apache-2.0
#include "vectors/write_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace concord::vectors {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Optional;

class WriteFile : public ::testing::Test {
 protected:
  WriteFile() {
    std::string name = (fs::temp_directory_path() / "concord_write_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~WriteFile() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  static std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(WriteFile, ReplacesTheContentsAndKeepsThePermissions) {
  EXPECT_EQ(write_file(path("a"), "old"), std::nullopt);
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(why_not_writable(path("a")), std::nullopt);
  EXPECT_EQ(contents(path("a")), "old");
  EXPECT_EQ(write_file(path("a"), "new"), std::nullopt);
  EXPECT_EQ(contents(path("a")), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, LeavesTheOldContentsWhereTheNewOnesDoNotFit) {
  EXPECT_EQ(write_file(path("a"), "old"), std::nullopt);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{1024, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto said = write_file(path("a"), std::string(4096, 'x'));
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_THAT(said, Optional(HasSubstr("cannot write " + path("a") + ": File too large")));
  EXPECT_EQ(contents(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, NamesWhatCannotBeWritten) {
  fs::create_directory(path("folder"));
  for (const std::string& bad :
       {path("none/a"), path("folder"), std::string("/dev/full"), std::string()}) {
    EXPECT_THAT(write_file(bad, "text"), Optional(HasSubstr("cannot write " + bad)));
  }
  EXPECT_THAT(why_not_writable(path("none/a")), Optional(HasSubstr(path("none/a"))));
  EXPECT_THAT(why_not_writable(path("folder")), Optional(HasSubstr(path("folder"))));
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteFile, FollowsASymbolicLink) {
  EXPECT_EQ(write_file(path("a"), "old"), std::nullopt);
  fs::create_symlink("a", path("link"));
  EXPECT_EQ(write_file(path("link"), "new"), std::nullopt);
  EXPECT_EQ(contents(path("a")), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(WriteFile, WritesADeviceAsItIs) {
  EXPECT_EQ(why_not_writable("/dev/null"), std::nullopt);
  EXPECT_EQ(write_file("/dev/null", "text"), std::nullopt);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace concord::vectors
