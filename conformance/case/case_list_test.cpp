// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_list.h"

#include <gtest/gtest.h>

#include <string>

namespace concord::conformance {
namespace {

std::vector<Case> named(const std::vector<std::string>& ids) {
  std::vector<Case> cases;
  for (const std::string& id : ids) {
    cases.emplace_back();
    cases.back().id = id;
  }
  return cases;
}

class Numbers : public CaseSource {
 public:
  explicit Numbers(std::size_t count) : count_(count) {}
  std::size_t size() const override { return count_; }
  Case at(std::size_t number) const override {
    Case made;
    made.id = std::to_string(number);
    return made;
  }

 private:
  std::size_t count_;
};

std::string ids(const CaseList& list) {
  std::string text;
  for (const Case& each : list) text += each.id + " ";
  return text;
}

TEST(CaseList, HoldsListedCasesAndThoseMadeByNumber) {
  CaseList list = named({"a", "b"});
  list.append(std::make_shared<Numbers>(3));
  list.append(std::make_shared<Numbers>(0));
  list.append(std::make_shared<Numbers>(1));
  EXPECT_EQ(list.size(), 6U);
  EXPECT_EQ(ids(list), "a b 0 1 2 0 ");
  EXPECT_EQ(list[4].id, "2");
  EXPECT_TRUE(CaseList().empty());
  EXPECT_TRUE(CaseList(named({})).empty());
}

TEST(CaseList, GivesThoseAtSomePlacesAndSomeOfThese) {
  CaseList list = named({"a", "b"});
  list.append(std::make_shared<Numbers>(100));
  CaseList chosen = list.at({101, 1, 2});
  EXPECT_EQ(ids(chosen), "99 b 0 ");
  EXPECT_EQ(ids(chosen.at({2, 0})), "0 99 ");
  EXPECT_TRUE(list.at({}).empty());
  chosen.append(std::make_shared<Numbers>(2));
  EXPECT_EQ(ids(chosen), "99 b 0 0 1 ");
  EXPECT_EQ(list.size(), 102U);
  list.append(chosen);
  EXPECT_EQ(list.size(), 107U);
  EXPECT_EQ(list[102].id, "99");
}

}  // namespace
}  // namespace concord::conformance
