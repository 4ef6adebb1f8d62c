// SPDX-License-Identifier: Apache-2.0
#include "spec/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace concord {
namespace {

constexpr std::byte kGap{0xA5};

// The plain way: every index in turn, its place by the strides.
std::vector<std::byte> copied_one_by_one(std::size_t bytes, const Tensor& from,
                                         const std::vector<std::byte>& from_data, const Tensor& to,
                                         std::vector<std::byte> to_data) {
  const Extents from_strides = strides_of(from), to_strides = strides_of(to);
  const Extent count = element_count(to.dims).value();
  for (Extent flat = 0; flat < count; ++flat) {
    Extent rest = flat, from_place = 0, to_place = 0;
    for (std::size_t axis = to.rank(); axis-- > 0;) {
      from_place += rest % to.dims[axis] * from_strides[axis];
      to_place += rest % to.dims[axis] * to_strides[axis];
      rest /= to.dims[axis];
    }
    std::memcpy(&to_data[static_cast<std::size_t>(to_place) * bytes],
                &from_data[static_cast<std::size_t>(from_place) * bytes], bytes);
  }
  return to_data;
}

std::vector<std::byte> numbered(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 37 + 11);
  return data;
}

// Every order of the axes in memory, dense and with a gap behind each axis.
std::vector<Tensor> layouts_of(const Extents& dims) {
  std::vector<Tensor> layouts;
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    for (const Extent gap : {0, 1, 3}) {
      Extents strides(dims.size());
      Extent step = 1 + gap;
      for (const std::size_t axis : order) {
        strides[axis] = step;
        step = step * std::max<Extent>(dims[axis], 1) + gap;
      }
      layouts.push_back({dims, strides});
    }
  } while (std::next_permutation(order.begin(), order.end()));
  layouts.push_back({dims, {}});
  return layouts;
}

TEST(CopyElements, PutsEveryElementAtItsIndexAndLeavesTheGaps) {
  for (const Extents& dims : {Extents{}, Extents{1}, Extents{5}, Extents{3, 4}, Extents{2, 3, 4},
                              Extents{1, 3, 1, 2}, Extents{2, 1, 3, 2}}) {
    const std::vector<Tensor> layouts = layouts_of(dims);
    for (const Tensor& from : layouts) {
      for (const Tensor& to : layouts) {
        for (const std::size_t bytes : {1U, 2U, 3U, 4U, 8U}) {
          const auto data = numbered(static_cast<std::size_t>(*element_span(from)) * bytes);
          std::vector<std::byte> got(static_cast<std::size_t>(*element_span(to)) * bytes, kGap);
          const auto want = copied_one_by_one(bytes, from, data, to, got);
          copy_elements(bytes, from, data.data(), to, got.data());
          ASSERT_EQ(got, want) << to_string(from) << " to " << to_string(to) << ", " << bytes;
        }
      }
    }
  }
}

TEST(CopyElements, RepeatsAnElementOfStrideZero) {
  const std::array<std::uint16_t, 2> from{7, 9};
  std::array<std::uint16_t, 6> to{};
  copy_elements(2, {{2, 3}, {1, 0}}, from.data(), {{2, 3}, {}}, to.data());
  EXPECT_EQ(to, (std::array<std::uint16_t, 6>{7, 7, 7, 9, 9, 9}));
}

TEST(CopyElements, TouchesNothingForNoElements) {
  copy_elements(4, {{2, 0, 3}, {}}, nullptr, {{2, 0, 3}, {1, 2, 3}}, nullptr);
}

TEST(CopyElementsDeathTest, RefusesDifferentShapes) {
  EXPECT_DEATH(copy_elements(4, {{2, 3}, {}}, nullptr, {{3, 2}, {}}, nullptr), "2x3 to 3x2");
}

}  // namespace
}  // namespace concord
