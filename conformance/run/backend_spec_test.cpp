// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/backend_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BackendSpecTest : public ::testing::Test {
 protected:
  BackendSpecTest() {
    fs::create_directories(directory_);
    for (const char* name : {"faulty.so", "onednn.so", "notes.txt"}) {
      std::ofstream(directory_ / name);
    }
    const std::ofstream program(directory_ / "it's");
    fs::permissions(directory_ / "it's", fs::perms::owner_all);
  }
  ~BackendSpecTest() override { fs::remove_all(directory_); }

  BackendSpec found(const std::string& text) const {
    return find_backend(text, directory_).value();
  }
  std::string complaint(const std::string& text) const {
    return find_backend(text, directory_).why().detail;
  }

  const fs::path directory_ = fs::path(::testing::TempDir()) / "concord:plugins";
};

TEST_F(BackendSpecTest, ListsSharedObjectsAndPrograms) {
  EXPECT_THAT(shipped_backends(directory_), ElementsAre("faulty", "it's", "onednn"));
}

TEST_F(BackendSpecTest, RunsAProgramWithItsConfigurationAsTheArgument) {
  const BackendSpec spec = found("it's:one 'two'");
  EXPECT_EQ(spec.text, "it's:one 'two'");
  EXPECT_EQ(spec.path, "");
  EXPECT_EQ(spec.config, "'" + directory_.string() + "/it'\\''s' 'one '\\''two'\\'''");
  EXPECT_THAT(complaint("notes.txt"), HasSubstr("no such backend"));
}

TEST_F(BackendSpecTest, SplitsANameFromItsConfiguration) {
  EXPECT_EQ(found("onednn").path, directory_ / "onednn.so");
  EXPECT_EQ(found("onednn").config, "");
  EXPECT_EQ(found("faulty:kernel_flip:x").config, "kernel_flip:x");
  EXPECT_EQ(found("faulty:kernel_flip:x").text, "faulty:kernel_flip:x");
}

TEST_F(BackendSpecTest, TakesAPathInAConfigurationForNoPlugin) {
  const BackendSpec spec = found("faulty:file=/some/where.txt");
  EXPECT_EQ(spec.path, found("faulty").path);
  EXPECT_EQ(spec.config, "file=/some/where.txt");
}

TEST_F(BackendSpecTest, TakesACommandAsItStands) {
  const BackendSpec spec = found("exec:./tool.so --mode a:b");
  EXPECT_EQ(spec.text, "exec:./tool.so --mode a:b");
  EXPECT_EQ(spec.path, "");
  EXPECT_EQ(spec.config, "./tool.so --mode a:b");
  EXPECT_THAT(complaint("exec:"), HasSubstr("a command must follow"));
}

TEST_F(BackendSpecTest, TakesAPathEvenIfItHoldsAColon) {
  const std::string path = directory_ / "faulty.so";
  EXPECT_EQ(found(path).path, path);
  EXPECT_EQ(found(path + ":fast").config, "fast");
}

TEST_F(BackendSpecTest, NamesWhatIsMissingAndWhatThereIs) {
  EXPECT_THAT(complaint("wibble"), HasSubstr("wibble"));
  EXPECT_THAT(complaint("wibble"), HasSubstr("faulty, it's, onednn"));
  EXPECT_THAT(complaint("./none.so:x"), HasSubstr("there is no file ./none.so"));
  EXPECT_THAT(complaint(""), HasSubstr("''"));
  EXPECT_THAT(complaint(directory_.string() + "/"), HasSubstr("there is no file"));
}

}  // namespace
}  // namespace concord::conformance
