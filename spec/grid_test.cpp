// SPDX-License-Identifier: Apache-2.0
#include "spec/grid.h"

#include <gtest/gtest.h>

#include <vector>

namespace concord {
namespace {

TEST(Grid, VisitsEveryIndexOnceInTheOrderOfItsOffsets) {
  const Grid<4> grid{{2, 1, 3, 4}};
  std::size_t visits = 0;
  for (const auto& index : grid) {
    EXPECT_EQ(grid.offset(index), visits);
    ++visits;
  }
  EXPECT_EQ(visits, 24U);
}

TEST(Grid, RunsTheLastIndexFastest) {
  std::vector<std::array<Extent, 2>> visited;
  for (const auto& index : Grid<2>{{2, 2}}) visited.push_back(index);
  EXPECT_EQ(visited, (std::vector<std::array<Extent, 2>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(Grid, IsEmptyWhereAnExtentIsBelowOne) {
  for (const Extent extent : {Extent{0}, Extent{-1}, Extent{INT64_MIN}}) {
    for (const auto& index : Grid<3>{{2, extent, 3}}) ADD_FAILURE() << index[0];
  }
}

TEST(Grid, OffsetsMatchDenseStrides) {
  const Extents strides = dense_strides({3, 4, 5});
  const Grid<3> grid{{3, 4, 5}};
  for (const auto [i, j, k] : grid) {
    EXPECT_EQ(grid.offset({i, j, k}),
              static_cast<std::size_t>(i * strides[0] + j * strides[1] + k * strides[2]));
  }
}

TEST(Grid, IsEmptyOnceItsThreadIsInterrupted) {
  std::atomic<bool> stop{false};
  const InterruptScope scope(&stop);
  int outer = 0, inner = 0;
  for (const auto [i] : Grid<1>{{5}}) {
    ++outer;
    if (i == 2) stop = true;
    for ([[maybe_unused]] const auto [j] : Grid<1>{{10}}) ++inner;
  }
  EXPECT_EQ(outer, 5);  // what is counted already goes on
  EXPECT_EQ(inner, 20);
}

}  // namespace
}  // namespace concord
