// SPDX-License-Identifier: Apache-2.0
#include "vectors/add.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "spec/dtype.h"
#include "vectors/npy.h"

namespace concord::vectors {
namespace {

using testing::HasSubstr;

// [1 2 3 4] slid under [1 10]; worked by hand.
class Adding : public testing::Test {
 protected:
  Adding()
      : place_(testing::TempDir() + "concord_add_" +
               testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(place_);
    write("src", {1, 2, 3, 4}, {1, 1, 4});
    write("weights", {1, 10}, {1, 1, 2});
    write("dst", {21, 32, 43}, {1, 1, 3});
    head_.set = "mine";
    head_.producer = "hand";
    head_.version = "1";
    head_.command = "none";
    head_.date = "2026-11-21";
    head_.licence = "CC0-1.0";
  }
  ~Adding() override { std::filesystem::remove_all(place_); }

  void write(const char* name, const std::vector<float>& values, const Extents& shape) const {
    std::ofstream file(place_ / (std::string(name) + ".npy"), std::ios::binary);
    file << npy_header(NpyType::kF32, shape);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }

  NewVector vector(const std::string& id) const {
    return {.id = id,
            .problem = parse("Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX "
                             "weights_format=OIX")
                           .value(),
            .dst_shape = {1, 1, 3},
            .src = place_ / "src.npy",
            .dst = place_ / "dst.npy",
            .weights = place_ / "weights.npy"};
  }

  std::string why(const std::optional<Manifest>& head, const NewVector& added) const {
    const auto set = add_vectors(place_ / "mine", head, {added});
    return set ? "was added" : set.why().detail;
  }

  std::filesystem::path place_;
  Manifest head_{};
};

TEST_F(Adding, BeginsASetAndGoesOnWithIt) {
  ASSERT_EQ(why(head_, vector("a")), "was added");
  write("dst", {21, 32, 44}, {1, 1, 3});
  ASSERT_EQ(why(std::nullopt, vector("b")), "was added");
  const auto set = load_set(place_ / "mine");
  ASSERT_TRUE(set) << set.why().detail;
  const Manifest& manifest = set->manifest();
  EXPECT_EQ(manifest.producer, "hand");
  ASSERT_EQ(manifest.vectors.size(), 2U);
  EXPECT_EQ(manifest.vectors[1].id, "b");
  std::vector<double> dst(3);
  load(Dtype::kF32, set->bytes(manifest.vectors[1].dst), dst);
  EXPECT_EQ(dst, (std::vector<double>{21, 32, 44}));
}

TEST_F(Adding, SeveralVectorsAreAddedAtOnceOrNoneOfThem) {
  NewVector printed = vector("b");
  printed.exactness = Exactness::kPrinted;
  printed.digits = 3;
  ASSERT_TRUE(add_vectors(place_ / "mine", head_, {vector("a"), printed}));
  NewVector wrong = vector("d");
  wrong.src = place_ / "dst.npy";
  const auto refused = add_vectors(place_ / "mine", std::nullopt, {vector("c"), wrong});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.why().detail, testing::StartsWith("d: "));
  const auto set = load_set(place_ / "mine");
  ASSERT_TRUE(set) << set.why().detail;
  ASSERT_EQ(set->manifest().vectors.size(), 2U);
  EXPECT_EQ(set->manifest().vectors[1].digits, 3);
}

TEST_F(Adding, AnotherShapeOfDstAndAPrintedInfinityAreRefused) {
  NewVector added = vector("a");
  added.dst = place_ / "src.npy";
  EXPECT_THAT(why(head_, added), HasSubstr("src.npy: is 1x1x4, but the problem says 1x1x3"));
  write("dst", {21, HUGE_VALF, 43}, {1, 1, 3});
  added = vector("a");
  added.exactness = Exactness::kPrinted;
  added.digits = 3;
  EXPECT_THAT(why(head_, added), HasSubstr("dst.npy: holds an infinity"));
  added.exactness = Exactness::kExact;
  EXPECT_EQ(why(head_, added), "was added");
}

TEST_F(Adding, NamesOfAnyBytesAreWritten) {
  head_.producer = "n\xFFm";
  ASSERT_EQ(why(head_, vector("a\xFE")), "was added");
  EXPECT_EQ(load_set(place_ / "mine")->manifest().vectors[0].id, "a\xEF\xBF\xBD");
}

TEST_F(Adding, EqualTensorsAreStoredOnce) {
  ASSERT_EQ(why(head_, vector("a")), "was added");
  ASSERT_EQ(why(std::nullopt, vector("b")), "was added");
  const auto set = load_set(place_ / "mine");
  EXPECT_EQ(set->elements("f32.npy").size(), (4 + 2 + 3) * sizeof(float));
  EXPECT_EQ(set->manifest().vectors[0].dst.offset, set->manifest().vectors[1].dst.offset);
}

TEST_F(Adding, WhatDoesNotFitIsRefusedAndChangesNothing) {
  EXPECT_THAT(why(std::nullopt, vector("a")), HasSubstr("not a set yet"));
  ASSERT_EQ(why(head_, vector("a")), "was added");
  EXPECT_THAT(why(head_, vector("b")), HasSubstr("producer is known"));
  EXPECT_THAT(why(std::nullopt, vector("a")), HasSubstr("vector a occurs twice"));
  NewVector other = vector("b");
  other.src = place_ / "weights.npy";
  EXPECT_THAT(why(std::nullopt, other), HasSubstr("weights.npy: is 1x1x2, but the problem says"));
  other.src = place_ / "none.npy";
  EXPECT_THAT(why(std::nullopt, other), HasSubstr("none.npy: cannot be read"));
  other = vector("b");
  other.bias = other.src;
  EXPECT_THAT(why(std::nullopt, other), HasSubstr("bias"));
  other = vector("b");
  other.problem.dtype = Dtype::kF16;
  EXPECT_THAT(why(std::nullopt, other), HasSubstr("is of <f4"));
  EXPECT_EQ(load_set(place_ / "mine")->manifest().vectors.size(), 1U);
}

}  // namespace
}  // namespace concord::vectors
