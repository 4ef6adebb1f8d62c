// SPDX-License-Identifier: Apache-2.0
// Tensors in the memory of a device. The guard pages of the host do not reach there, so each lies
// between two canaries, and the adapter looks at them after each convolution.
#ifndef CONCORD_BACKENDS_CLBLAST_DEVICE_TENSOR_H_
#define CONCORD_BACKENDS_CLBLAST_DEVICE_TENSOR_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "backends/adapter/staged.h"
#include "backends/clblast/device.h"

namespace concord::backends {

/// A window of a buffer, for a dense tensor, with a canary before it and one behind it. All bytes
/// of a canary are 0xff: as an element of any dtype that is a NaN, so that what is read there shows
/// in the results, too.
class DeviceTensor {
 public:
  static constexpr std::size_t kCanaryBytes = 4096;

  /// `name` is for messages. Errors  throws std::runtime_error, as all other members do
  DeviceTensor(const Device& device, std::string name, std::size_t bytes);

  cl_mem buffer() const { return buffer_.get(); }
  /// Where the tensor begins in the buffer, in elements of `element_bytes`.
  std::size_t offset(std::size_t element_bytes) const { return kCanaryBytes / element_bytes; }

  /// Fills all of the buffer with 0xff, the canaries and the tensor.
  void clear();
  void copy_to_device(const std::byte* from);
  void copy_from_device(std::byte* to) const;

  /// "the device wrote behind the end of dst, first at byte 8 of the canary"; nothing while both
  /// canaries are as clear() left them.
  std::optional<std::string> damage() const;

 private:
  std::optional<std::string> damage_at(std::size_t first, const char* where) const;

  const Device& device_;
  std::string name_;
  std::size_t bytes_;
  Owned<cl_mem, clReleaseMemObject> buffer_;
};

/// The tensors of one convolution on a device.
struct DeviceTensors {
  DeviceTensor src, weights, dst;
};

/// Copies src and weights to the device, computes, and copies dst back. What `compute` has put into
/// the queue need not be done when it returns.
/// Errors  CONCORD_FAULT, naming the tensor, if a canary is damaged; dst is not copied then
std::optional<Refused> run_on_device(const Device& device, DeviceTensors& tensors,
                                     const GroupMemory& host, const std::function<void()>& compute);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_CLBLAST_DEVICE_TENSOR_H_
