// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/device_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/clblast/kernel_cache.h"

namespace concord::backends {
namespace {

using testing::HasSubstr;

using Values = std::array<float, 3>;

/// The first device there is, and three tensors of three elements each.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    find_kernel_cache();
    auto device = Device::open("");
    ASSERT_TRUE(device) << device.why().reason;
    device_ = *std::move(device);
    constexpr std::size_t kBytes = sizeof(Values);
    tensors_.reset(new DeviceTensors{
        {*device_, "src", kBytes}, {*device_, "weights", kBytes}, {*device_, "dst", kBytes}});
  }

  std::optional<Refused> run(const std::function<void()>& compute) {
    const auto bytes = [](Values& values) { return reinterpret_cast<std::byte*>(values.data()); };
    const GroupMemory host{bytes(src_), bytes(weights_), nullptr, bytes(dst_)};
    return run_on_device(*device_, *tensors_, host, compute);
  }

  /// What a kernel does that writes one element of 1, `bytes` behind the start of a buffer.
  void write_one(const DeviceTensor& tensor, std::size_t bytes) {
    const float one = 1;
    check_opencl(clEnqueueFillBuffer(device_->queue(), tensor.buffer(), &one, sizeof(one), bytes,
                                     sizeof(one), 0, nullptr, nullptr),
                 "clEnqueueFillBuffer");
  }

  /// What a kernel does that copies src to dst.
  void copy_src(std::size_t first_byte, std::size_t bytes) {
    check_opencl(
        clEnqueueCopyBuffer(device_->queue(), tensors_->src.buffer(), tensors_->dst.buffer(),
                            first_byte, DeviceTensor::kCanaryBytes, bytes, 0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
  }

  static constexpr std::size_t kStart = DeviceTensor::kCanaryBytes;
  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceTensors> tensors_;
  Values src_{1, 2, 3}, weights_{4, 5, 6}, dst_{7, 8, 9};
};

TEST_F(OnDevice, BringsWhatWasComputedBack) {
  const auto no = run([&] { copy_src(kStart, sizeof(Values)); });
  EXPECT_FALSE(no) << no->reason;
  EXPECT_EQ(dst_, src_);
}

TEST_F(OnDevice, WhatIsNotWrittenIsNan) {
  EXPECT_FALSE(run([&] { copy_src(kStart, sizeof(float)); }));
  EXPECT_EQ(dst_[0], 1);
  EXPECT_TRUE(std::isnan(dst_[1]) && std::isnan(dst_[2]));
}

TEST_F(OnDevice, WhatIsReadOutsideIsNan) {
  EXPECT_FALSE(run([&] { copy_src(kStart - sizeof(float), sizeof(Values)); }));
  EXPECT_TRUE(std::isnan(dst_[0]));
  EXPECT_EQ(dst_[1], 1);
}

TEST_F(OnDevice, AWriteOutsideFailsAndNamesTheTensor) {
  const Values before = dst_;
  const auto behind = run([&] { write_one(tensors_->dst, kStart + sizeof(Values)); });
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->status, CONCORD_FAULT);
  EXPECT_THAT(behind->reason,
              HasSubstr("the device wrote behind the end of dst, first at byte 0 "));
  const auto early = run([&] { write_one(tensors_->weights, kStart - 8); });
  ASSERT_TRUE(early);
  EXPECT_THAT(early->reason, HasSubstr("before the start of weights, first at byte 4088 "));
  const auto last =
      run([&] { write_one(tensors_->src, kStart + sizeof(Values) + kStart - sizeof(float)); });
  ASSERT_TRUE(last);
  EXPECT_THAT(last->reason, HasSubstr("behind the end of src, first at byte 4092 "));
  EXPECT_EQ(dst_, before);
}

TEST_F(OnDevice, TheNextExecutionStartsAnew) {
  EXPECT_TRUE(run([&] { write_one(tensors_->dst, 0); }));
  EXPECT_FALSE(run([&] { copy_src(kStart, sizeof(Values)); }));
}

TEST(Device, ANameThatNoDeviceHasIsRefusedWithThoseThereAre) {
  find_kernel_cache();
  const auto device = Device::open("no such device");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.why().status, CONCORD_INVALID);
  EXPECT_THAT(device.why().reason, HasSubstr("'no such device'"));
  const std::string all = device.why().reason;
  const std::string first = all.substr(all.find("there are: ") + 11);
  EXPECT_TRUE(Device::open(first.substr(0, 4)));
}

}  // namespace
}  // namespace concord::backends
