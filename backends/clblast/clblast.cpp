// SPDX-License-Identifier: Apache-2.0
// CLBlast's Convgemm behind the plugin ABI: a matrix product that gathers its windows itself, on an
// OpenCL device. It has two spatial axes, strides, dilations, and padding that is the same at both
// ends; no groups, and no bias, which the adapter adds on the host.
//
// The configuration is a part of the device's name; without one it is the first device there is.
#include <clblast.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"
#include "backends/clblast/compilation.h"
#include "backends/clblast/device_tensor.h"
#include "backends/clblast/kernel_cache.h"

namespace concord::backends {
namespace {

bool clblast_pads(const PaddedConvolution& p) { return p.pad_begin == p.pad_end; }

std::size_t size(Extent value) { return static_cast<std::size_t>(value); }

/// The bytes of src, weights and dst of one group.
std::array<std::size_t, 3> bytes_of(Dtype dtype, const PaddedConvolution& p, const Window& w) {
  const std::size_t element = size_of(dtype);
  return {element * size(p.N * p.ICG() * w.I[1] * w.I[2]),
          element * size(p.OCG() * p.ICG() * w.K[1] * w.K[2]),
          element * size(p.N * p.OCG() * w.O[1] * w.O[2])};
}

DeviceTensors tensors_of(const Device& device, const std::array<std::size_t, 3>& bytes) {
  return {{device, "src", bytes[0]}, {device, "weights", bytes[1]}, {device, "dst", bytes[2]}};
}

/// Puts the convolution of one group into the device's queue.
template <class T>
void convgemm(const Device& device, const PaddedConvolution& p, const Window& w,
              const DeviceTensors& tensors) {
  cl_command_queue queue = device.queue();
  const auto status = clblast::Convgemm<T>(
      clblast::KernelMode::kCrossCorrelation, size(p.ICG()), size(w.I[1]), size(w.I[2]),
      size(w.K[1]), size(w.K[2]), size(w.pad_begin[1]), size(w.pad_begin[2]), size(w.S[1]),
      size(w.S[2]), size(w.D[1]), size(w.D[2]), size(p.OCG()), size(p.N), tensors.src.buffer(),
      tensors.src.offset(sizeof(T)), tensors.weights.buffer(), tensors.weights.offset(sizeof(T)),
      tensors.dst.buffer(), tensors.dst.offset(sizeof(T)), &queue);
  if (status == clblast::StatusCode::kSuccess) return;
  throw std::runtime_error("Convgemm: CLBlast's status " +
                           std::to_string(static_cast<int>(status)));
}

template <class T>
class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(const Device& device, Compilation& kernels, Dtype dtype,
                      const PaddedConvolution& p, const PrepareOptions& options)
      : StagedConvolution(dtype, p, options, channels_first(), !clblast_pads(p)),
        device_(device),
        kernels_(kernels),
        tensors_(tensors_of(device, bytes_of(dtype, p, window()))) {}

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    kernels_.wait();
    const auto compute = [this] { convgemm<T>(device_, problem(), window(), tensors_); };
    if (auto no = run_on_device(device_, tensors_, group, compute)) return no;
    if (group.bias != nullptr) add_bias(group);
    return std::nullopt;
  }

  void add_bias(const GroupMemory& group) const {
    const PaddedConvolution& p = problem();
    const auto plane = window().O[1] * window().O[2];
    T* dst = reinterpret_cast<T*>(group.dst);
    for (Extent each = 0; each < p.N * p.OCG(); ++each, dst += plane) {
      const T bias = reinterpret_cast<const T*>(group.bias)[each % p.OCG()];
      std::for_each(dst, dst + plane, [bias](T& element) { element += bias; });
    }
  }

  const Device& device_;
  Compilation& kernels_;
  DeviceTensors tensors_;
};

/// A convolution of one element, so that CLBlast compiles its kernels.
template <class T>
void compile_kernels(const Device& device) {
  PaddedConvolution p;
  p.N = p.IC = p.OC = 1;
  Window w;
  w.I = w.O = w.K = w.S = w.D = {1, 1, 1};
  DeviceTensors tensors = tensors_of(device, {sizeof(T), sizeof(T), sizeof(T)});
  convgemm<T>(device, p, w, tensors);
  device.finish();
}

class ClBlast : public LoweringBackend {
 public:
  explicit ClBlast(std::unique_ptr<Device> device)
      : device_(std::move(device)),
        f32_([this] { compile_kernels<float>(*device_); }),
        f64_([this] { compile_kernels<double>(*device_); }) {
    f32_.begin();
  }

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32 && problem.dtype != Dtype::kF64) {
      return declines("this adapter of CLBlast serves f32 and f64, not " +
                      std::string(to_string(problem.dtype)));
    }
    if (problem.dtype == Dtype::kF64 && !device_->has_double()) {
      return declines("the device has no double");
    }
    if (p.spatial_rank > 2) return declines("Convgemm convolves two spatial axes");
    if (auto no = cannot_stage(problem.dtype, p)) return no;
    if (auto no = too_large_for_device(problem.dtype, p)) return no;
    kernels_of(problem.dtype).wait_a_while();
    return std::nullopt;
  }

  std::optional<Refused> too_large_for_device(Dtype dtype, const PaddedConvolution& p) const {
    Window w = window_of(p);
    for (std::size_t axis = 0; axis < 3; ++axis) w.I[axis] += w.pad_begin[axis] + w.pad_end[axis];
    for (const std::size_t bytes : bytes_of(dtype, p, w)) {
      if (bytes + 2 * DeviceTensor::kCanaryBytes > device_->largest_buffer()) {
        return declines("the device has no buffers of " + std::to_string(bytes) + " bytes");
      }
    }
    return std::nullopt;
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    if (problem.dtype == Dtype::kF64) answer.arithmetic.accumulator = CONCORD_ACCUMULATE_F64;
    answer.arithmetic.flushes_subnormals =
        problem.dtype == Dtype::kF32 && !device_->keeps_subnormals();
    answer.same_bits_any_threads = true;  // a device has as many as it has
    answer.adapter_part = staging_part(
        problem, p, !clblast_pads(p),
        std::string(p.bias_stride ? "adds bias, " : "") + "copies tensors to the device and back");
    answer.implementation = "Convgemm on " + device_->name();
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    if (problem.dtype == Dtype::kF64) return made<double>(problem.dtype, p, options);
    return made<float>(problem.dtype, p, options);
  }

  template <class T>
  std::unique_ptr<Prepared> made(Dtype dtype, const PaddedConvolution& p,
                                 const PrepareOptions& options) const {
    return std::make_unique<PreparedConvolution<T>>(*device_, kernels_of(dtype), dtype, p, options);
  }

  Compilation& kernels_of(Dtype dtype) const { return dtype == Dtype::kF64 ? f64_ : f32_; }

  std::unique_ptr<Device> device_;
  mutable Compilation f32_, f64_;  // end before the device does
};

Or<std::unique_ptr<Backend>> open_clblast(const std::string& config) {
  find_kernel_cache();
  auto device = Device::open(config);
  if (!device) return device.why();
  return std::unique_ptr<Backend>(std::make_unique<ClBlast>(*std::move(device)));
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("clblast", CONCORD_CLBLAST_VERSION, concord::backends::open_clblast)
