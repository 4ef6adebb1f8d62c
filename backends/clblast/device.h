// SPDX-License-Identifier: Apache-2.0
// An OpenCL device, with a context and a queue that runs one command after the other.
#ifndef CONCORD_BACKENDS_CLBLAST_DEVICE_H_
#define CONCORD_BACKENDS_CLBLAST_DEVICE_H_

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "plugin_codec/refused.h"

namespace concord::backends {

/// Releases an object of OpenCL's.
template <auto release>
struct Release {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
template <class Handle, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<release>>;

/// Errors  throws std::runtime_error, "clCreateBuffer: OpenCL error -61", unless `code` is success
void check_opencl(cl_int code, const char* function);

class Device {
 public:
  /// The first device of which the name contains `name`, of any platform.
  /// Errors  CONCORD_INVALID with the names of all devices; CONCORD_UNSUPPORTED if there are none
  static Or<std::unique_ptr<Device>> open(const std::string& name);

  explicit Device(cl_device_id id);

  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }
  std::string name() const;
  std::size_t largest_buffer() const;  ///< in bytes
  bool has_double() const;
  /// Does arithmetic in f32 keep subnormal numbers?
  bool keeps_subnormals() const;
  /// Waits until all commands of the queue are done.
  void finish() const;

 private:
  cl_device_id id_;
  Owned<cl_context, clReleaseContext> context_;
  Owned<cl_command_queue, clReleaseCommandQueue> queue_;
};

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_CLBLAST_DEVICE_H_
