// SPDX-License-Identifier: Apache-2.0
#include "vectors/set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "spec/dtype.h"
#include "vectors/sha256.h"

namespace concord::vectors {
namespace {

using testing::HasSubstr;

// A folder with one vector, worked by hand: [1 2 3 4] slid under [1 10].
class SetFolder : public testing::Test {
 protected:
  SetFolder() : folder_(testing::TempDir() + "concord_set_" + name()) {
    std::filesystem::create_directories(folder_);
    write_data({1, 2, 3, 4, 1, 10, 21, 32, 43});
    std::ofstream(folder_ / "rows.json") << "[1]";
    write_manifest(6, hash_);
  }
  ~SetFolder() override { std::filesystem::remove_all(folder_); }

  static std::string name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  void write_data(const std::vector<float>& values) {
    const std::string header = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}\n", values.size());
    std::string text = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size());
    text += '\0' + header;
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    hash_ = sha256(std::as_bytes(std::span(text)));
    std::ofstream(folder_ / "f32.npy", std::ios::binary) << text;
  }

  void write_manifest(int dst_offset, const std::string& hash) {
    std::ofstream(folder_ / "manifest.json") << fmt::format(
        R"({{"schema": "concord-vectors-1", "set": "one", "date": "2026-11-21",
        "licence": "Apache-2.0", "producer": {{"name": "hand", "version": "1", "command": "none"}},
        "files": [{{"name": "f32.npy", "dtype": "f32", "sha256": "{}"}}],
        "tables": [{{"name": "rows.json", "sha256": "{}"}}],
        "vectors": [{{"id": "a", "exactness": "exact",
        "problem": "Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX",
        "src": {{"file": "f32.npy", "offset": 0, "shape": [1, 1, 4]}},
        "weights": {{"file": "f32.npy", "offset": 4, "shape": [1, 1, 2]}},
        "dst": {{"file": "f32.npy", "offset": {}, "shape": [1, 1, 3]}}}}]}})",
        hash, sha256(std::as_bytes(std::span("[1]", 3))), dst_offset);
  }

  std::string why() const {
    const auto set = load_set(folder_);
    return set ? "was read" : set.why().detail;
  }

  std::filesystem::path folder_;
  std::string hash_{};
};

TEST_F(SetFolder, TensorsAreReadFromTheirPlaces) {
  const auto set = load_set(folder_);
  ASSERT_TRUE(set) << set.why().detail;
  std::vector<double> dst(3);
  load(Dtype::kF32, set->bytes(set->manifest().vectors.at(0).dst), dst);
  EXPECT_EQ(dst, (std::vector<double>{21, 32, 43}));
}

TEST_F(SetFolder, EveryChangedByteIsFoundAndItsFileNamed) {
  const auto path = folder_ / "f32.npy";
  const auto size = std::filesystem::file_size(path);
  for (std::uintmax_t place = 0; place < size; ++place) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(place);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at).put(static_cast<char>(byte ^ 1)).flush();
    EXPECT_THAT(why(), HasSubstr("f32.npy: changed")) << place;
    file.seekp(at).put(static_cast<char>(byte)).flush();
  }
  EXPECT_EQ(why(), "was read");
}

TEST_F(SetFolder, TensorsBeyondTheirFileAreRefused) {
  write_manifest(7, hash_);
  EXPECT_THAT(why(), HasSubstr("vector a has a tensor beyond"));
}

TEST_F(SetFolder, AChangedTableIsNamed) {
  EXPECT_EQ(load_set(folder_)->table("rows.json"), "[1]");
  std::ofstream(folder_ / "rows.json") << "[2]";
  EXPECT_THAT(why(), HasSubstr("rows.json: changed"));
}

TEST_F(SetFolder, MissingFilesAreNamed) {
  std::filesystem::remove(folder_ / "f32.npy");
  EXPECT_THAT(why(), HasSubstr("f32.npy: cannot be read"));
  std::filesystem::remove(folder_ / "manifest.json");
  EXPECT_THAT(why(), HasSubstr("manifest.json: cannot be read"));
}

TEST_F(SetFolder, IsFoundUnderItsParent) {
  EXPECT_THAT(find_sets(folder_.parent_path()), testing::Contains(folder_));
  EXPECT_TRUE(find_sets(folder_ / "none").empty());
}

}  // namespace
}  // namespace concord::vectors
