// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/device_tensor.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace concord::backends {
namespace {

constexpr unsigned char kCanary = 0xff;

}  // namespace

DeviceTensor::DeviceTensor(const Device& device, std::string name, std::size_t bytes)
    : device_(device), name_(std::move(name)), bytes_(bytes) {
  cl_int code = CL_SUCCESS;
  buffer_.reset(clCreateBuffer(device.context(), CL_MEM_READ_WRITE, bytes_ + 2 * kCanaryBytes,
                               nullptr, &code));
  check_opencl(code, "clCreateBuffer");
}

void DeviceTensor::clear() {
  check_opencl(clEnqueueFillBuffer(device_.queue(), buffer(), &kCanary, 1, 0,
                                   bytes_ + 2 * kCanaryBytes, 0, nullptr, nullptr),
               "clEnqueueFillBuffer");
}

void DeviceTensor::copy_to_device(const std::byte* from) {
  check_opencl(clEnqueueWriteBuffer(device_.queue(), buffer(), CL_TRUE, kCanaryBytes, bytes_, from,
                                    0, nullptr, nullptr),
               "clEnqueueWriteBuffer");
}

void DeviceTensor::copy_from_device(std::byte* to) const {
  check_opencl(clEnqueueReadBuffer(device_.queue(), buffer(), CL_TRUE, kCanaryBytes, bytes_, to, 0,
                                   nullptr, nullptr),
               "clEnqueueReadBuffer");
}

std::optional<std::string> DeviceTensor::damage() const {
  if (auto before = damage_at(0, "before the start of ")) return before;
  return damage_at(kCanaryBytes + bytes_, "behind the end of ");
}

std::optional<std::string> DeviceTensor::damage_at(std::size_t first, const char* where) const {
  std::vector<unsigned char> canary(kCanaryBytes);
  check_opencl(clEnqueueReadBuffer(device_.queue(), buffer(), CL_TRUE, first, kCanaryBytes,
                                   canary.data(), 0, nullptr, nullptr),
               "clEnqueueReadBuffer");
  const auto changed = std::find_if(canary.begin(), canary.end(),
                                    [](unsigned char byte) { return byte != kCanary; });
  if (changed == canary.end()) return std::nullopt;
  return "the device wrote " + std::string(where) + name_ + ", first at byte " +
         std::to_string(changed - canary.begin()) + " of the canary there";
}

std::optional<Refused> run_on_device(const Device& device, DeviceTensors& tensors,
                                     const GroupMemory& host,
                                     const std::function<void()>& compute) {
  for (DeviceTensor* tensor : {&tensors.src, &tensors.weights, &tensors.dst}) tensor->clear();
  tensors.src.copy_to_device(host.src);
  tensors.weights.copy_to_device(host.weights);
  compute();
  device.finish();
  for (const DeviceTensor* tensor : {&tensors.src, &tensors.weights, &tensors.dst}) {
    if (auto damage = tensor->damage()) return Refused{CONCORD_FAULT, std::move(*damage)};
  }
  tensors.dst.copy_from_device(host.dst);
  return std::nullopt;
}

}  // namespace concord::backends
