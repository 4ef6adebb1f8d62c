// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/backend_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace concord::conformance {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string file_with(const std::string& name, const std::string& contents) {
  const std::string path = (fs::path(::testing::TempDir()) / name).string();
  std::ofstream(path) << contents;
  return path;
}

TEST(BackendFiles, OfAPluginAreItsOwn) {
  const std::string path = file_with("concord_files.so", "abc");
  const auto files = files_of({.text = path, .path = path});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, path);
  EXPECT_EQ(files[0].sha256, kOfAbc);
  EXPECT_EQ(build_text(files), std::string("concord_files.so SHA-256 ") + kOfAbc);
}

TEST(BackendFiles, OfACommandAreItsProgramAndTheFilesItNames) {
  const std::string script = file_with("concord files.py", "abc");
  const std::string model = file_with("concord_files.onnx", "");
  const auto files = files_of({.config = "OMP_NUM_THREADS=1 exec sh '" + script +
                                         "' --model=" + model + " --verbose no_such_file"});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(fs::path(files[0].path).filename(), "sh");
  EXPECT_EQ(files[1].path, script);
  EXPECT_EQ(files[1].sha256, kOfAbc);
  EXPECT_EQ(files[2].path, model);
}

TEST(BackendFiles, OfACommandThatIsNotThereAreNone) {
  EXPECT_TRUE(files_of({.config = "no_such_program_of_concord --fast"}).empty());
  EXPECT_EQ(build_text({}), "");
}

TEST(BackendFiles, APluginThatCannotBeReadIsNamedAsUnknown) {
  EXPECT_THAT(build_text(files_of({.path = "/no/such.so"})), HasSubstr("such.so SHA-256 unknown"));
}

}  // namespace
}  // namespace concord::conformance
