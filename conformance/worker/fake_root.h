// SPDX-License-Identifier: Apache-2.0
// For tests: a tree of files used in place of "/".
#ifndef CONCORD_CONFORMANCE_WORKER_FAKE_ROOT_H_
#define CONCORD_CONFORMANCE_WORKER_FAKE_ROOT_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace concord::conformance {

class FakeRoot : public testing::Test {
 protected:
  FakeRoot() : root_(testing::TempDir() + "concord_root_" + std::to_string(getpid())) {}
  ~FakeRoot() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << '\n';
  }

  std::string root_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_FAKE_ROOT_H_
