// SPDX-License-Identifier: Apache-2.0
#include "conformance/diagnose/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace concord::conformance {
namespace {

CaseResult wrong_at(const std::vector<std::vector<std::size_t>>& counts) {
  CaseResult result;
  result.verdict = Verdict::kFail;
  result.failure.emplace();
  for (const auto& axis : counts) {
    result.failure->where.dims.push_back(static_cast<Extent>(axis.size()));
  }
  result.failure->where.counts = counts;
  return result;
}

TEST(WrongPlaces, NamesTheEndsThatAllFailuresShare) {
  Case ncx, nxc;
  ncx.problem = *parse("Convolution f32 src=1x1x4x4 weights=3x1x1x1 data_format=NCX");
  nxc.problem =
      *parse("Convolution f32 src=1x4x4x1 weights=1x1x1x3 data_format=NXC weights_format=XIO");
  const CaseList cases(std::vector<Case>{ncx, ncx, nxc, ncx});
  std::vector<std::optional<CaseResult>> results = {
      wrong_at({{2}, {0, 1, 1}, {1, 0, 1, 0}, {0, 0, 0, 2}}),
      wrong_at({{1}, {0, 1, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}}),
      wrong_at({{2}, {0, 1, 0, 1}, {0, 0, 0, 2}, {0, 2, 0}}), std::nullopt};
  EXPECT_EQ(wrong_places(cases, results), "every wrong element lies in the last column");
  results[3] = wrong_at({{2}, {1, 1, 0}, {1, 0, 1, 0}, {0, 0, 1, 1}});
  EXPECT_EQ(wrong_places(cases, results), "") << "one of four disagrees";
  results[2] = results[3] = std::nullopt;
  EXPECT_EQ(wrong_places(cases, results), "") << "two failures are too few";
}

TEST(WrongPlaces, SpeaksOfASixteenthWhereItCountedMoreThanOneIndex) {
  Case each;
  each.problem = *parse("Convolution f32 src=1x1x1x99 weights=1x1x1x1 data_format=NCX");
  const CaseList cases(std::vector<Case>{each, each, each});
  // All wrong elements in one of the sixteen parts of dst's columns.
  const auto said = [&](std::size_t part, const std::vector<Extent>& extents) {
    std::vector<std::optional<CaseResult>> results;
    for (const Extent columns : extents) {
      std::vector<std::size_t> counts(static_cast<std::size_t>(std::min<Extent>(columns, 16)));
      counts[part == 0 ? 0 : counts.size() - 1] = 1;
      results.emplace_back(wrong_at({{1}, {1}, {1}, counts}));
      results.back()->failure->where.dims[3] = columns;
    }
    return wrong_places(cases, results);
  };
  // Index i belongs to part 16 i / E: the last of E = 31 is alone in its part, of 32 it is not.
  const std::string all = "every wrong element lies in ";
  EXPECT_EQ(said(15, {16, 17, 31}), all + "the last column");
  EXPECT_EQ(said(15, {32, 100, 33}), all + "the last sixteenth of the columns");
  EXPECT_EQ(said(15, {31, 100, 9}), all + "the last column (of 32 or more: the last sixteenth)");
  EXPECT_EQ(said(0, {16, 2, 3}), all + "the first column");
  EXPECT_EQ(said(0, {17, 18, 99}), all + "the first sixteenth of the columns");
  EXPECT_EQ(said(0, {16, 17, 3}), all + "the first column (of 17 or more: the first sixteenth)");
}

}  // namespace
}  // namespace concord::conformance
