// SPDX-License-Identifier: Apache-2.0
#include "vectors/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace concord::vectors {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kNames = "id\tproblem\tsrc\tdst\texactness\n";

std::string why(const std::string& text) {
  const auto rows = parse_table(text);
  return rows ? "was read" : rows.why().detail;
}

TEST(Table, ColumnsAreReadByTheirNamesInAnyOrder) {
  const auto rows = parse_table(
      "dst\tid\tsource\tbias\tproblem\tsrc\tarithmetic\texactness\tweights\n"
      "y\ta\tpage 3\tb\tConvolution f32\tx\tstrict\tprinted=4\tw");
  ASSERT_TRUE(rows) << rows.why().detail;
  ASSERT_EQ(rows->size(), 1U);
  const TableRow& row = rows->front();
  EXPECT_EQ(row.line, 2);
  EXPECT_EQ((std::vector{row.id, row.problem, row.src, row.weights, row.bias, row.dst}),
            (std::vector<std::string>{"a", "Convolution f32", "x", "w", "b", "y"}));
  EXPECT_EQ((std::vector{row.exactness, row.arithmetic, row.source}),
            (std::vector<std::string>{"printed=4", "strict", "page 3"}));
}

TEST(Table, LinesOfOtherSystemsAndEmptyOnesAreReadAndCounted) {
  const auto rows = parse_table("\xEF\xBB\xBFid\tproblem\tsrc\tdst\texactness\r\n\r\n" +
                                std::string("a\tp\tx\ty\texact\r\n\nb\tp\tx\ty\texact"));
  ASSERT_TRUE(rows) << rows.why().detail;
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(0).exactness, "exact");
  EXPECT_EQ(rows->at(0).line, 3);
  EXPECT_EQ(rows->at(1).line, 5);
}

TEST(Table, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_THAT(why(""), HasSubstr("no row"));
  EXPECT_THAT(why(kNames), HasSubstr("no row"));
  EXPECT_THAT(why("id\thue\n"), StartsWith("1: no column 'hue'; there are id, problem, src, "));
  EXPECT_THAT(why("id,problem,src,dst,exactness\n"), HasSubstr("separated by tabs"));
  EXPECT_THAT(why("id\tsrc\tid\n"), StartsWith("1: the column 'id' occurs twice"));
  EXPECT_THAT(why("id\tproblem\tsrc\texactness\n"), StartsWith("1: the column 'dst' is missing"));
  EXPECT_THAT(why(kNames + "a\tp\tx\n"), StartsWith("2: 3 cells, but the first line names 5"));
  EXPECT_THAT(why(kNames + "a\tp\tx\ty\texact\t\n"), StartsWith("2: 6 cells"));
  EXPECT_THAT(why(kNames + "\na\tp\t\ty\texact\n"), StartsWith("3: 'src' is empty"));
  EXPECT_THAT(why(kNames + "a\tp\tx\ty\texact\na\tp\tx\ty\texact\n"),
              StartsWith("3: the id 'a' is that of line 2"));
}

}  // namespace
}  // namespace concord::vectors
