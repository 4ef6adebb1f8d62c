// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/result_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

Json failed() {
  CaseResult result;
  result.verdict = Verdict::kFail;
  result.tier = Tier::kExact;
  result.wrong = 1;
  result.failure = Failure{.element = {0, 2, 1}, .got = 1, .want = 2};
  result.failure->where = {
      .dims = {1, 4, 5}, .counts = {{1}, {0, 1}}, .axes = {1, 2}, .borders = {{0, 1}, {2, 0}}};
  return to_json(result);
}

TEST(ResultJson, KeepsWhereElementsAreWrong) {
  const auto result = result_from_json(failed());
  ASSERT_TRUE(result && result->failure);
  EXPECT_EQ(to_json(*result), failed());
}

// A conversion of such numbers would be undefined; of another number of elements, a wrong one.
TEST(ResultJson, RefusesListsOfWhatIsNoInteger) {
  for (const char* path :
       {"/failure/element/1", "/failure/where/dims/0", "/failure/where/counts/1/0",
        "/failure/where/axes/0", "/failure/where/borders/1/1"}) {
    for (const Json& value : {Json(5e41), Json(0.5), Json("1"), Json(nullptr)}) {
      Json json = failed();
      json.at(Json::json_pointer(path)) = value;
      EXPECT_FALSE(result_from_json(json)) << path << " " << value;
    }
  }
  for (const char* path : {"/failure/element", "/failure/where/dims", "/failure/where/borders/1"}) {
    for (const Json& value : {Json(7), Json(nullptr), Json("list")}) {
      Json json = failed();
      json.at(Json::json_pointer(path)) = value;
      EXPECT_FALSE(result_from_json(json)) << path << " " << value;
    }
  }
}

}  // namespace
}  // namespace concord::conformance
