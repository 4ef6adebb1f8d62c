// SPDX-License-Identifier: Apache-2.0
#include "spec/tensor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "spec/grid.h"

namespace concord {
namespace {

constexpr Extent k32 = Extent{1} << 32;

TEST(DenseStrides, LastAxisIsFastest) {
  EXPECT_EQ(dense_strides({2, 3, 4}), (Extents{12, 4, 1}));
  EXPECT_EQ(dense_strides({7}), (Extents{1}));
  EXPECT_EQ(dense_strides({}), (Extents{}));
  EXPECT_EQ(dense_strides({2, 0, 4}), (Extents{4, 4, 1}));
}

TEST(DenseStrides, OfATensorTooLargeToCountDoNotWrap) {
  EXPECT_EQ(dense_strides({1, k32, k32, 2}), (Extents{INT64_MAX, k32 * 2, 2, 1}));
}

TEST(ElementCount, IsTheProduct) {
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({5, 0, 3}), 0);
  EXPECT_EQ(element_count({INT64_MAX}), INT64_MAX);
}

TEST(ElementCount, IsNothingForNegativeOrOverflowingExtents) {
  EXPECT_EQ(element_count({2, -1}), std::nullopt);
  EXPECT_EQ(element_count({0, -1}), std::nullopt);
  EXPECT_EQ(element_count({-1, -1}), std::nullopt);
  EXPECT_EQ(element_count({INT64_MIN}), std::nullopt);
  EXPECT_EQ(element_count({k32, k32 / 2}), std::nullopt);
  EXPECT_EQ(element_count({k32, k32 / 4}), k32 / 4 * k32);
  EXPECT_EQ(element_count({0, k32, k32}), std::nullopt);
  EXPECT_EQ(element_count({k32, k32, 0}), std::nullopt);
}

TEST(ElementSpan, ReachesFromTheFirstToTheLastElement) {
  EXPECT_EQ(element_span({{2, 3}, {}}), 6);
  EXPECT_EQ(element_span({{2, 3}, {10, 2}}), 1 + 10 + 4);
  EXPECT_EQ(element_span({{2, 3}, {1, 0}}), 2);
  EXPECT_EQ(element_span({{1, 3}, {INT64_MAX, 1}}), 3);
  EXPECT_EQ(element_span({{}, {}}), 1);
  EXPECT_EQ(element_span({{0, 3}, {5, 1}}), 0);
}

TEST(ElementSpan, IsNothingWhereItOverflowsOrAStrideIsNegative) {
  EXPECT_EQ(element_span({{2, 3}, {-3, 1}}), std::nullopt);
  EXPECT_EQ(element_span({{1, 3}, {-3, 1}}), std::nullopt);
  EXPECT_EQ(element_span({{0, 3}, {-3, 1}}), std::nullopt);
  EXPECT_EQ(element_span({{3}, {INT64_MAX}}), std::nullopt);
  EXPECT_EQ(element_span({{2, 2}, {INT64_MAX, 1}}), std::nullopt);
  EXPECT_EQ(element_span({{2}, {INT64_MAX}}), std::nullopt);
  EXPECT_EQ(element_span({{2}, {INT64_MAX - 1}}), INT64_MAX);
  EXPECT_EQ(element_span({{-2}, {1}}), std::nullopt);
}

TEST(StridesDeathTest, AnotherNumberOfThemThanOfDimsIsABug) {
  EXPECT_DEATH((void)strides_of({{2, 3}, {1}}), "2x3:1");
  EXPECT_DEATH((void)element_span({{2, 3}, {1}}), "2x3:1");
  EXPECT_DEATH((void)permute({{2, 3}, {1, 2, 3}}, {1, 0}), "2x3:1x2x3");
}

// How many different places the elements have.
bool places_differ(const Tensor& tensor) {
  std::set<Extent> places;
  const Extent count = element_count(tensor.dims).value();
  for (Extent flat = 0; flat < count; ++flat) {
    Extent rest = flat, place = 0;
    for (std::size_t axis = tensor.rank(); axis-- > 0;) {
      place += rest % tensor.dims[axis] * tensor.strides[axis];
      rest /= tensor.dims[axis];
    }
    if (!places.insert(place).second) return false;
  }
  return true;
}

// Each axis steps beyond the last place of all faster ones, straight from the definition.
bool nests(const Tensor& tensor) {
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    if (tensor.dims[axis] <= 1) continue;
    Extent reach = 0;
    for (std::size_t other = 0; other < tensor.rank(); ++other) {
      const bool faster = tensor.strides[other] < tensor.strides[axis] ||
                          (tensor.strides[other] == tensor.strides[axis] && other < axis);
      if (faster) reach += std::max<Extent>(tensor.dims[other] - 1, 0) * tensor.strides[other];
    }
    if (tensor.strides[axis] <= reach) return false;
  }
  return true;
}

TEST(IsInjective, HoldsExactlyForNestedStridesAndNeverWhereElementsMeet) {
  int injective = 0, interleaved = 0;
  for (const auto [a, b, c, s, t, u] : Grid<6>{{3, 4, 3, 7, 7, 7}}) {
    const Tensor tensor{{a, b, c}, {s, t, u}};
    const bool got = is_injective(tensor);
    ASSERT_EQ(got, element_count(tensor.dims) == 0 || nests(tensor)) << to_string(tensor);
    if (got) {
      ASSERT_TRUE(places_differ(tensor)) << to_string(tensor);
      ++injective;
    } else if (places_differ(tensor)) {
      ++interleaved;
    }
  }
  EXPECT_GT(injective, 1000);
  EXPECT_GT(interleaved, 0);
}

TEST(IsInjective, OfDenseTensorsAndScalars) {
  EXPECT_TRUE(is_injective({{2, 3, 4}, {}}));
  EXPECT_TRUE(is_injective({{}, {}}));
  EXPECT_TRUE(is_injective({{1, 1}, {0, 0}}));
  EXPECT_TRUE(is_injective({{0, k32, k32 / 4}, {0, 0, INT64_MAX}}));
  EXPECT_FALSE(is_injective({{3, 2}, {2, 3}}));
}

TEST(ChannelsFirst, PutsChannelsBeforeTheSpatialAxes) {
  using Axes = std::vector<std::size_t>;
  EXPECT_EQ(channels_first_axes(DataFormat::kNCX, 5), (Axes{0, 1, 2, 3, 4}));
  EXPECT_EQ(channels_first_axes(DataFormat::kNXC, 5), (Axes{0, 4, 1, 2, 3}));
  EXPECT_EQ(channels_first_axes(DataFormat::kNXC, 2), (Axes{0, 1}));
  EXPECT_EQ(channels_first_axes(WeightsFormat::kOIX, 5), (Axes{0, 1, 2, 3, 4}));
  EXPECT_EQ(channels_first_axes(WeightsFormat::kXIO, 5), (Axes{4, 3, 0, 1, 2}));
  EXPECT_EQ(channels_first_axes(WeightsFormat::kXIO, 2), (Axes{1, 0}));
}

TEST(ChannelsFirstDeathTest, NeedsTwoAxes) {
  EXPECT_DEATH(channels_first_axes(DataFormat::kNXC, 1), "rank 1");
  EXPECT_DEATH(channels_first_axes(WeightsFormat::kOIX, 0), "rank 0");
}

TEST(Permute, MovesDimsAndStridesTogether) {
  EXPECT_EQ(permute({{2, 3, 4}, {}}, {2, 0, 1}), (Tensor{{4, 2, 3}, {1, 12, 4}}));
  EXPECT_EQ(permute({{2, 3}, {1, 5}}, {1, 0}), (Tensor{{3, 2}, {5, 1}}));
  EXPECT_EQ(unpermute({{4, 2, 3}, {1, 12, 4}}, {2, 0, 1}), (Tensor{{2, 3, 4}, {12, 4, 1}}));
}

TEST(Permute, IsUndoneByUnpermuteForEveryOrder) {
  const Tensor tensor{{2, 3, 4, 5}, {1, 2, 6, 24}};
  std::vector<std::size_t> axes(4);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  do {
    EXPECT_EQ(unpermute(permute(tensor, axes), axes), tensor);
    EXPECT_EQ(permute(unpermute(tensor, axes), axes), tensor);
  } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST(TensorText, ShowsDimsAndStrides) {
  EXPECT_EQ(to_string(Tensor{{2, 4, 9}, {}}), "2x4x9");
  EXPECT_EQ(to_string(Tensor{{2, 4}, {40, -1}}), "2x4:40x-1");
  EXPECT_EQ(to_string(Tensor{}), "()");
}

}  // namespace
}  // namespace concord
