// SPDX-License-Identifier: Apache-2.0
#include "spec/tensor_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace concord {
namespace {

// A 2x3 tensor whose second axis is fastest, two elements apart: column i at 2*i, row at 1.
const Tensor kStrided{{2, 3}, {1, 2}};

TEST(TensorValues, ComeBackInTheOrderOfTheAxes) {
  for (const Dtype dtype : kDtypes) {
    std::vector<std::byte> data(6 * size_of(dtype));
    write_tensor(dtype, kStrided, std::vector<double>{1, 2, 3, 4, 5, 6}, data.data());
    EXPECT_EQ(read_tensor(dtype, kStrided, data.data()), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read_tensor(dtype, {{6}, {}}, data.data()), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  }
}

TEST(TensorValues, LeaveTheGapsAsTheyWere) {
  std::vector<std::uint16_t> data(7, 0x1234);
  write_tensor(Dtype::kF16, {{2, 2}, {4, 2}}, std::vector<double>{1, 2, -1, 0.5}, data.data());
  EXPECT_EQ(data,
            (std::vector<std::uint16_t>{0x3C00, 0x1234, 0x4000, 0x1234, 0xBC00, 0x1234, 0x3800}));
}

TEST(TensorValues, AreRoundedOnceWhenWritten) {
  std::vector<std::uint16_t> data(2);
  // 1 + 2^-11 is halfway between two halves; a hair above it rounds up, though float cannot see it.
  write_tensor(Dtype::kF16, {{2}, {}}, std::vector<double>{1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40},
               data.data());
  EXPECT_EQ(data, (std::vector<std::uint16_t>{0x3C00, 0x3C01}));
}

TEST(TensorValues, KeepInfinityAndNaN) {
  for (const Dtype dtype : kDtypes) {
    std::vector<std::byte> data(2 * size_of(dtype));
    write_tensor(dtype, {{2}, {}},
                 std::vector<double>{-std::numeric_limits<double>::infinity(), std::nan("")},
                 data.data());
    const std::vector<double> values = read_tensor(dtype, {{2}, {}}, data.data());
    EXPECT_EQ(values[0], -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(values[1]));
  }
}

TEST(TensorValues, OfAnEmptyTensorNeedNoMemory) {
  EXPECT_TRUE(read_tensor(Dtype::kBF16, {{3, 0}, {}}, nullptr).empty());
  write_tensor(Dtype::kBF16, {{3, 0}, {}}, {}, nullptr);
}

}  // namespace
}  // namespace concord
