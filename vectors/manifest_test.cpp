// SPDX-License-Identifier: Apache-2.0
#include "vectors/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace concord::vectors {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Json good() {
  return Json::parse(R"({
    "schema": "concord-vectors-1", "set": "one", "date": "2026-11-21", "licence": "Apache-2.0",
    "producer": {"name": "hand", "version": "1", "command": "none"},
    "files": [{"name": "f32.npy", "dtype": "f32", "sha256": "00"},
              {"name": "f16.npy", "dtype": "f16", "sha256": "11"}],
    "vectors": [{"id": "a", "exactness": "exact", "source": "by hand",
      "problem": "Convolution f32 src=1x1x4 weights=1x1x2 data_format=NCX weights_format=OIX",
      "src": {"file": "f32.npy", "offset": 0, "shape": [1, 1, 4]},
      "weights": {"file": "f32.npy", "offset": 4, "shape": [1, 1, 2]},
      "dst": {"file": "f32.npy", "offset": 6, "shape": [1, 1, 3]}}]})");
}

// What the reader says of the good manifest with `value` at `place`.
std::string why_with(const std::string& place, const Json& value) {
  Json changed = good();
  changed[Json::json_pointer(place)] = value;
  const auto manifest = parse_manifest(changed.dump());
  return manifest ? "was read" : manifest.why().detail;
}

TEST(Manifest, EveryMemberIsRead) {
  const auto manifest = parse_manifest(good().dump());
  ASSERT_TRUE(manifest) << manifest.why().detail;
  EXPECT_EQ(manifest->producer, "hand");
  ASSERT_EQ(manifest->vectors.size(), 1U);
  const Vector& vector = manifest->vectors.front();
  EXPECT_EQ(vector.id, "a");
  EXPECT_EQ(vector.weights.value().offset, 4);
  EXPECT_EQ(vector.dst.shape, (Extents{1, 1, 3}));
  EXPECT_EQ(vector.exactness, Exactness::kExact);
  EXPECT_EQ(vector.source, "by hand");
  EXPECT_FALSE(vector.bias);
}

TEST(Manifest, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_THAT(why_with("/schema", "other"), HasSubstr("'other'"));
  EXPECT_THAT(why_with("/extra", 1), HasSubstr("unknown member 'extra'"));
  EXPECT_THAT(why_with("/producer", 1), HasSubstr("producer is not an object"));
  EXPECT_THAT(why_with("/files", 1), HasSubstr("'files' is not an array"));
  EXPECT_THAT(why_with("/files/0/dtype", "f99"), HasSubstr("files[0]: no dtype 'f99'"));
  EXPECT_THAT(why_with("/vectors/0/problem", "Convolution f32"), HasSubstr("vectors[0]: problem"));
  EXPECT_THAT(why_with("/vectors/0/exactness", "nearly"), HasSubstr("no exactness 'nearly'"));
  EXPECT_THAT(why_with("/vectors/0/exactness", "arithmetic"), HasSubstr("belongs to"));
  EXPECT_THAT(why_with("/vectors/0/src/shape", {1, 1, 5}), HasSubstr("vectors[0].src: stored"));
  EXPECT_THAT(why_with("/vectors/0/src/shape", {-1}), HasSubstr("-1, which is not a size"));
  EXPECT_THAT(why_with("/vectors/0/src/offset", 1e300), HasSubstr("not a size"));
  EXPECT_THAT(why_with("/vectors/0/src/offset", 9223372036854775808U), HasSubstr("not a size"));
  EXPECT_THAT(why_with("/vectors/0/src/file", "f16.npy"), HasSubstr("not among the f32 files"));
  EXPECT_THAT(why_with("/vectors/0/src/file", "none.npy"), HasSubstr("not among the f32 files"));
  EXPECT_THAT(why_with("/vectors/0/bias", good()["vectors"][0]["dst"]), HasSubstr("bias"));
  EXPECT_THAT(why_with("/tables", Json::parse(R"([{"name": "f32.npy", "sha256": "0"}])")),
              HasSubstr("f32.npy occurs twice"));
  EXPECT_THAT(why_with("/tables", 1), HasSubstr("'tables' is not an array"));
  EXPECT_THAT(why_with("/vectors/1", good()["vectors"][0]), HasSubstr("vector a occurs twice"));
}

TEST(Manifest, FilesOutsideTheFolderAreRefused) {
  for (const char* name : {"../secret", "/etc/passwd", "..", "a/b", "", ".hidden", "a\\b"}) {
    EXPECT_THAT(why_with("/files/0/name", name), HasSubstr("not a plain file name")) << name;
  }
}

TEST(Manifest, TextThatIsNoJsonIsRefused) {
  EXPECT_FALSE(parse_manifest(""));
  EXPECT_FALSE(parse_manifest("[]"));
  const std::string whole = good().dump();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_manifest(whole.substr(0, size))) << size;
  }
}

TEST(Manifest, IsPrintedAsItIsRead) {
  Json with_all = good();
  with_all["tables"] = Json::parse(R"([{"name": "t.json", "sha256": "22"}])");
  with_all["vectors"][0]["exactness"] = "arithmetic";
  with_all["vectors"][0]["arithmetic"] = "strict";
  const auto manifest = parse_manifest(with_all.dump());
  ASSERT_TRUE(manifest) << manifest.why().detail;
  EXPECT_EQ(Json::parse(print(*manifest)), with_all);
}

TEST(Manifest, DigitsBelongToPrintedValues) {
  Json printed = good();
  printed["vectors"][0]["exactness"] = "printed";
  EXPECT_FALSE(parse_manifest(printed.dump()));
  printed["vectors"][0]["digits"] = 4;
  const auto manifest = parse_manifest(printed.dump());
  ASSERT_TRUE(manifest) << manifest.why().detail;
  EXPECT_EQ(manifest->vectors[0].digits, 4);
  EXPECT_EQ(Json::parse(print(*manifest)), printed);
  for (const Json& digits : {Json(0), Json(18), Json("4"), Json(-1)}) {
    printed["vectors"][0]["digits"] = digits;
    EXPECT_FALSE(parse_manifest(printed.dump())) << digits;
  }
  EXPECT_THAT(why_with("/vectors/0/digits", 4), HasSubstr("'printed'"));
  printed["vectors"][0]["digits"] = 4;
  printed["vectors"][0]["arithmetic"] = "strict";
  EXPECT_EQ(parse_manifest(printed.dump())->vectors[0].arithmetic, "strict");
}

}  // namespace
}  // namespace concord::vectors
