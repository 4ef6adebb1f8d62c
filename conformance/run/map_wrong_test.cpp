// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/map_wrong.h"

#include <gmock/gmock.h>

#include <numeric>
#include <string>
#include <vector>

namespace concord::conformance {
namespace {

using testing::Each;
using testing::ElementsAre;
using Counts = std::vector<std::size_t>;

WrongMap mapped(const std::string& line, const std::vector<std::size_t>& places) {
  const Problem problem = parse(line).value();
  return map_wrong(problem, reference::resolve(problem).value(), places);
}

// dst is 2x3x4x5 as [N,C,H,W]: place ((n * 3 + c) * 4 + h) * 5 + w.
constexpr const char* kNcx =
    "Convolution f32 src=2x1x4x5 weights=3x1x3x3 pads_begin=1,1 pads_end=1,1 data_format=NCX "
    "weights_format=OIX";

TEST(MapWrong, CountsByAxisInTheOrderOfDst) {
  const WrongMap map = mapped(kNcx, {0, 119});
  EXPECT_THAT(map.dims, ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(map.counts, ElementsAre(Counts{1, 1}, Counts{1, 0, 1}, Counts{1, 0, 0, 1},
                                      Counts{1, 0, 0, 0, 1}));
  EXPECT_THAT(map.axes, ElementsAre(2, 3));
  const WrongMap nxc = mapped(
      "Convolution f32 src=2x4x5x1 weights=3x3x1x3 pads_begin=1,1 pads_end=1,1 data_format=NXC "
      "weights_format=XIO",
      {1});  // the second place of the reading order is the second column
  EXPECT_THAT(nxc.dims, ElementsAre(2, 4, 5, 3));
  EXPECT_THAT(nxc.counts, ElementsAre(Counts{1, 0}, Counts{1, 0, 0, 0}, Counts{0, 1, 0, 0, 0},
                                      Counts{1, 0, 0}));
  EXPECT_THAT(nxc.axes, ElementsAre(1, 2));
}

TEST(MapWrong, ThePictureHasTheShareOfWrongElementsInNinthsRoundedUp) {
  // One of six images is wrong at (0, 0), all of them at (3, 4).
  std::vector<std::size_t> places{0};
  for (std::size_t image = 0; image < 6; ++image) places.push_back(image * 20 + 19);
  EXPECT_THAT(mapped(kNcx, places).picture, ElementsAre("20000", "00000", "00000", "00009"));
}

TEST(MapWrong, LongAxesAreDividedAndNoElementIsLost) {
  const std::string line =
      "Convolution f32 src=1x1x40x17 weights=1x1x1x1 data_format=NCX weights_format=OIX";
  std::vector<std::size_t> all(std::size_t{40} * 17);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const WrongMap map = mapped(line, all);
  for (const Counts& counts : map.counts) {
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), all.size());
  }
  EXPECT_EQ(map.counts[2].size(), 16U);
  EXPECT_EQ(map.picture.size(), 16U);
  EXPECT_THAT(map.picture, Each(std::string(16, '9')));
}

TEST(MapWrong, BordersAreTheOutputsWhoseWindowsReachIntoThePadding) {
  EXPECT_THAT(mapped(kNcx, {0}).borders,
              ElementsAre(std::array<Extent, 2>{1, 1}, std::array<Extent, 2>{1, 1}));
  // H: outputs begin at -3, -1, 1, 3 of 5 with a window of 2: the first two reach before src, none
  // beyond it. W: outputs begin at 0, 1, ... 6 of 5 with a window of 3: the last four reach beyond.
  const WrongMap map = mapped(
      "Convolution f32 src=1x1x5x5 weights=1x1x2x2 strides=2,1 dilations=1,2 pads_begin=3,0 "
      "pads_end=0,4 data_format=NCX weights_format=OIX",
      {0});
  EXPECT_THAT(map.dims, ElementsAre(1, 1, 4, 7));
  EXPECT_THAT(map.borders, ElementsAre(std::array<Extent, 2>{2, 0}, std::array<Extent, 2>{0, 4}));
}

TEST(MapWrong, OneSpatialAxisIsDrawnAgainstTheChannels) {
  const WrongMap map = mapped(
      "Convolution f32 src=1x1x4 weights=2x1x2 pads_begin=1 pads_end=0 data_format=NCX "
      "weights_format=OIX",
      {0});
  EXPECT_THAT(map.axes, ElementsAre(1, 2));
  EXPECT_THAT(map.picture, ElementsAre("9000", "0000"));
  EXPECT_THAT(map.borders, ElementsAre(std::array<Extent, 2>{0, 0}, std::array<Extent, 2>{1, 0}));
}

TEST(MapWrong, OtherOperationsHaveNoBorders) {
  const WrongMap map = mapped("SpaceToBatch f32 src=1x2x2x1 block_size=2", {3});
  EXPECT_EQ(map.borders, (std::vector<std::array<Extent, 2>>{{0, 0}, {0, 0}}));
  std::size_t counted = 0;
  for (const std::size_t count : map.counts[0]) counted += count;
  EXPECT_EQ(counted, 1U);
}

}  // namespace
}  // namespace concord::conformance
