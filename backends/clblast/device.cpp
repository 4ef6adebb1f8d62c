// SPDX-License-Identifier: Apache-2.0
#include "backends/clblast/device.h"

#include <stdexcept>
#include <vector>

namespace concord::backends {
namespace {

std::string name_of(cl_device_id id) {
  std::size_t bytes = 0;
  check_opencl(clGetDeviceInfo(id, CL_DEVICE_NAME, 0, nullptr, &bytes), "clGetDeviceInfo");
  std::string name(bytes, '\0');
  check_opencl(clGetDeviceInfo(id, CL_DEVICE_NAME, bytes, name.data(), nullptr), "clGetDeviceInfo");
  return name.c_str();  // without the zero at the end
}

template <class T>
T info(cl_device_id id, cl_device_info what) {
  T value{};
  check_opencl(clGetDeviceInfo(id, what, sizeof(value), &value, nullptr), "clGetDeviceInfo");
  return value;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  check_opencl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
               "clGetDeviceIDs");
  return devices;
}

std::vector<cl_device_id> all_devices() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};  // also if there are none
  std::vector<cl_platform_id> platforms(count);
  check_opencl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::vector<cl_device_id> all;
  for (cl_platform_id platform : platforms) {
    const auto devices = devices_of(platform);
    all.insert(all.end(), devices.begin(), devices.end());
  }
  return all;
}

}  // namespace

void check_opencl(cl_int code, const char* function) {
  if (code == CL_SUCCESS) return;
  throw std::runtime_error(std::string(function) + ": OpenCL error " + std::to_string(code));
}

Or<std::unique_ptr<Device>> Device::open(const std::string& name) {
  std::string names;
  for (cl_device_id id : all_devices()) {
    const std::string own = name_of(id);
    if (own.find(name) != std::string::npos) return std::make_unique<Device>(id);
    names.append(names.empty() ? "" : ", ").append(own);
  }
  if (names.empty()) return declines("there is no OpenCL device");
  return invalid("no OpenCL device has '" + name + "' in its name; there are: " + names);
}

Device::Device(cl_device_id id) : id_(id) {
  cl_int code = CL_SUCCESS;
  context_.reset(clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code));
  check_opencl(code, "clCreateContext");
  queue_.reset(clCreateCommandQueue(context_.get(), id_, 0, &code));
  check_opencl(code, "clCreateCommandQueue");
}

std::string Device::name() const { return name_of(id_); }

std::size_t Device::largest_buffer() const {
  return info<cl_ulong>(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
}

bool Device::has_double() const {
  return info<cl_device_fp_config>(id_, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
}

bool Device::keeps_subnormals() const {
  return (info<cl_device_fp_config>(id_, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_DENORM) != 0;
}

void Device::finish() const { check_opencl(clFinish(queue()), "clFinish"); }

}  // namespace concord::backends
