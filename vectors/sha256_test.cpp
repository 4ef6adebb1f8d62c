// SPDX-License-Identifier: Apache-2.0
#include "vectors/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace concord::vectors {
namespace {

// FIPS 180-4's own example, and one that a file holds in several parts.
TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const auto path = (std::filesystem::path(::testing::TempDir()) / "concord_sha256").string();
  const std::string long_text(3'000'001, 'x');
  for (const std::string& text : {std::string(), std::string("abc"), long_text}) {
    std::ofstream(path) << text;
    EXPECT_EQ(sha256_of_file(path), sha256(std::as_bytes(std::span(text))));
  }
  std::ofstream(path) << "abc";
  EXPECT_EQ(sha256_of_file(path),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::filesystem::remove(path);
}

TEST(Sha256, OfPartsIsThatOfTheWhole) {
  Sha256 hash;
  for (const std::string_view part : {"a", "", "bc"}) hash.add(std::as_bytes(std::span(part)));
  EXPECT_EQ(hash.digits(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, OfWhatIsNoFileIsNothing) {
  EXPECT_EQ(sha256_of_file("/no/such/file"), std::nullopt);
  EXPECT_EQ(sha256_of_file("/usr"), std::nullopt);
}

}  // namespace
}  // namespace concord::vectors
