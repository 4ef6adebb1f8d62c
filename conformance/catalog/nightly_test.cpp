// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/nightly.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conformance/catalog/catalog.h"

namespace concord::conformance {
namespace {

TEST(Nightly, BeginsWithSmokeGoesOnWithFullAndThenNeverRepeatsACase) {
  Nightly nightly(1);
  std::set<std::string> ids, drawn;
  const auto add = [&](const CaseList& cases) {
    for (const Case& c : cases) EXPECT_TRUE(ids.insert(c.id).second) << c.id;
  };
  const auto first = nightly.next();
  EXPECT_EQ(first.size(), make_catalog(Suite::kSmoke, 1).size());
  add(first);
  add(nightly.next());
  EXPECT_EQ(ids.size(), make_catalog(Suite::kFull, 1).size());
  for (int batch = 0; batch < 4; ++batch) {
    const auto cases = nightly.next();
    EXPECT_GE(cases.size(), 400U);
    add(cases);
    for (const Case& c : cases) {
      const std::string key = std::string(to_string(c.fill)) + " " + print(c.problem);
      EXPECT_TRUE(drawn.insert(key).second) << key;
    }
  }
}

TEST(Nightly, IsTheSameForTheSameSeedAndAnotherForAnother) {
  Nightly one(5), same(5), other(6);
  for (int batch = 0; batch < 3; ++batch) {
    const auto cases = one.next(), again = same.next(), others = other.next();
    ASSERT_EQ(cases.size(), again.size());
    const std::size_t step = cases.size() > 100'000 ? 97 : 1;  // full is a catalog like smoke
    for (std::size_t i = 0; i < cases.size(); i += step) {
      EXPECT_EQ(cases[i].id, again[i].id);
      EXPECT_EQ(cases[i].seed, again[i].seed);
      EXPECT_EQ(print(cases[i].problem), print(again[i].problem));
    }
    if (batch < 2) continue;
    EXPECT_NE(print(cases[0].problem), print(others[0].problem));
  }
}

}  // namespace
}  // namespace concord::conformance
