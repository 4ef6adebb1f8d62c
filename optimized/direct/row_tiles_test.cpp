// SPDX-License-Identifier: Apache-2.0
#include "optimized/direct/row_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace concord::optimized {
namespace {

TEST(RowTiles, CoverEveryProductOfTheInputOnceAndNoneOfThePadding) {
  for (const int max_pixels : {4, 6, 14, 28}) {
    for (Extent I = 1; I <= 20; ++I) {
      for (Extent K = 1; K <= 7; ++K) {
        for (Extent S = 1; S <= 3; ++S) {
          for (Extent D = 1; D <= 4; ++D) {
            for (Extent P = 0; P <= 6; P += 2) {
              const Extent room = I + P + 1 - (D * (K - 1) + 1);
              if (room < 0) continue;
              const Axis axis{.I = I, .O = room / S + 1, .K = K, .S = S, .D = D, .P = P};
              std::multiset<std::pair<Extent, Extent>> want;
              for (Extent o = 0; o < axis.O; ++o) {
                for (Extent k = 0; k < K; ++k) {
                  const Extent i = o * S + k * D - P;
                  if (i >= 0 && i < I) want.insert({o, k});
                }
              }
              std::multiset<std::pair<Extent, Extent>> got;
              Extent next = 0;
              for (const Segment& segment : cut_row(axis, max_pixels)) {
                ASSERT_EQ(segment.begin, next);
                ASSERT_LE(segment.pixels, max_pixels);
                next += segment.pixels * segment.tiles;
                for (Extent t = 0; t < segment.tiles; ++t) {
                  for (const TileTap& tap : segment.taps) {
                    const Extent first = std::max<Extent>(tap.left_out, 0);
                    const Extent last = segment.pixels + std::min<Extent>(tap.left_out, 0);
                    ASSERT_LT(first, last);
                    for (Extent m = first; m < last; ++m) {
                      got.insert({segment.begin + t * segment.pixels + m, tap.k});
                    }
                  }
                }
              }
              ASSERT_EQ(next, axis.O);
              ASSERT_EQ(got, want) << I << " " << K << " " << S << " " << D << " " << P;
            }
          }
        }
      }
    }
  }
}

TEST(RowTiles, AreCutInNoTimeHoweverLongTheRow) {
  const Extent O = Extent{1} << 40;
  const auto segments = cut_row({.I = O, .O = O, .K = 3, .S = 1, .D = 1, .P = 1}, 14);
  EXPECT_LE(segments.size(), 8U);
  EXPECT_EQ(segments.back().begin + segments.back().pixels * segments.back().tiles, O);
}

// Worked by hand: 33 outputs, dilation and padding 12: the left tap reads from output 12 on, the
// right one up to output 20.
TEST(RowTiles, LeaveOutWhatTheTapsOfADilatedKernelFindPaddingFor) {
  const auto segments = cut_row({.I = 33, .O = 33, .K = 3, .S = 1, .D = 12, .P = 12}, 14);
  ASSERT_EQ(segments.size(), 3U);
  for (const Segment& segment : segments) EXPECT_EQ(segment.pixels, 11);
  EXPECT_EQ(segments[0].taps, (std::vector<TileTap>{{1, 0}, {2, 0}}));
  EXPECT_EQ(segments[1].taps, (std::vector<TileTap>{{0, 1}, {1, 0}, {2, -1}}));
  EXPECT_EQ(segments[2].taps, (std::vector<TileTap>{{0, 0}, {1, 0}}));
}

TEST(RowTiles, AreCutWhereATapLeavesOutPixelsAtBothEnds) {
  // The only tap reads output 5 alone.
  const auto segments = cut_row({.I = 1, .O = 11, .K = 1, .S = 1, .D = 1, .P = 5}, 14);
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[1].begin, 5);
  EXPECT_EQ(segments[1].pixels, 1);
  EXPECT_EQ(segments[1].taps, (std::vector<TileTap>{{0, 0}}));
}

TEST(RowTiles, OfLargeTilesLeaveOutTwoPixelsAtMost) {
  const Axis axis{.I = 40, .O = 40, .K = 7, .S = 1, .D = 1, .P = 3};
  for (const Segment& segment : cut_row(axis, 28)) EXPECT_LE(segment.pixels, 14);
  // Of five taps none leaves out more.
  EXPECT_EQ(cut_row({.I = 40, .O = 40, .K = 5, .S = 1, .D = 1, .P = 2}, 28)[0].pixels, 20);
}

TEST(Axis, KnowsWhichInputsOutputsReadAndWhichAreNew) {
  using Range = Axis::Range;
  const Axis padded = {.I = 9, .O = 9, .K = 3, .S = 1, .D = 1, .P = 1};
  EXPECT_EQ(padded.inputs_of({0, 1}), (Range{0, 2}));
  EXPECT_EQ(padded.inputs_of({2, 5}), (Range{1, 6}));
  EXPECT_EQ(padded.new_inputs_of({3, 5}, {0, 3}), (Range{4, 6}));
  EXPECT_EQ(padded.new_inputs_of({8, 9}, {7, 8}), (Range{9, 9})) << "padding alone";
  const Axis strided = {.I = 20, .O = 4, .K = 2, .S = 5, .D = 1, .P = 0};
  EXPECT_EQ(strided.new_inputs_of({1, 2}, {0, 1}), (Range{5, 7})) << "not what lies between";
  const Axis dilated = {.I = 20, .O = 8, .K = 3, .S = 2, .D = 3, .P = 2};
  EXPECT_EQ(dilated.new_inputs_of({4, 5}, {3, 4}), (Range{11, 13}));
}

}  // namespace
}  // namespace concord::optimized
