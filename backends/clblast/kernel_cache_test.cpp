// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/kernel_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace concord::backends {
namespace {

/// An environment variable, set or taken away for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

/// What POCL_CACHE_DIR is afterwards, if it was `named` and the user's cache folder is `folder`.
std::string found(const char* named, const std::string& folder) {
  const Variable cache("POCL_CACHE_DIR", named), user("XDG_CACHE_HOME", folder.c_str());
  find_kernel_cache();
  const char* result = getenv("POCL_CACHE_DIR");
  return result == nullptr ? "" : result;
}

TEST(KernelCache, AFolderThatTheUserNamesIsTakenIfItCanBeWritten) {
  const std::string named = testing::TempDir();
  EXPECT_EQ(found(named.c_str(), "/dev/null"), named);
  const std::string another = found("/dev/null", named);
  EXPECT_TRUE(std::filesystem::is_directory(another));
  std::filesystem::remove(another);
}

TEST(KernelCache, TheUsersOwnIsTakenIfItCanBeWritten) {
  EXPECT_EQ(found(nullptr, testing::TempDir()), "");
  EXPECT_EQ(found(nullptr, testing::TempDir() + "not/there/yet"), "");
}

TEST(KernelCache, OtherwiseANewOneIsMade) {
  const std::string folder = found(nullptr, "/dev/null");
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  const std::string another = found(nullptr, "/dev/null/below");
  EXPECT_NE(folder, another);
  std::filesystem::remove(folder);
  std::filesystem::remove(another);
}

}  // namespace
}  // namespace concord::backends
