// SPDX-License-Identifier: Apache-2.0
// Bugs of what is read and written where, and when.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "backends/faulty/catalogue.h"
#include "spec/tensor_values.h"

namespace concord::backends::faulty {
namespace {

std::vector<double> dst_before(const Run& run) {
  return read_tensor(run.problem.dtype, run.views.dst, run.buffers.dst.data);
}

// Leaves element i of dst as it was, for every i that `left_out(i)` names.
template <class Predicate>
void leave_unwritten(Run& run, Predicate left_out) {
  const auto before = dst_before(run);
  for (std::size_t i = 0; i < run.dst.size(); ++i) {
    if (left_out(i)) run.dst[i] = static_cast<float>(before[i]);
  }
}

volatile const unsigned char* bytes_of(const concord_buffer& buffer) {
  return static_cast<volatile const unsigned char*>(buffer.data);
}
volatile unsigned char* writable_bytes_of(const concord_buffer& buffer) {
  return static_cast<volatile unsigned char*>(buffer.data);
}

void flip_a_bit(const concord_buffer& buffer) {
  if (buffer.bytes == 0) return;
  auto* byte = static_cast<unsigned char*>(buffer.data);
  *byte = static_cast<unsigned char>(*byte ^ 1U);
}

// Reads a byte without using it. It is an access all the same.
void touch(volatile const unsigned char* byte) { static_cast<void>(*byte); }

// The middle of the widest gap between elements, in elements. Of the elements alone: what a tensor
// spans may be more than any memory.
std::optional<std::size_t> widest_gap(const Tensor& tensor) {
  Extents places{0};
  const Extents strides = strides_of(tensor);
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    Extents more;
    for (const Extent place : places) {
      for (Extent i = 0; i < tensor.dims[axis]; ++i) more.push_back(place + i * strides[axis]);
    }
    places = std::move(more);
  }
  std::sort(places.begin(), places.end());
  Extent widest = 1, middle = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Extent distance = places[i] - places[i - 1];
    if (distance <= widest) continue;
    widest = distance;
    middle = places[i - 1] + distance / 2;
  }
  if (middle == 0) return std::nullopt;
  return static_cast<std::size_t>(middle);
}

constexpr std::size_t kVectorBytes = 16;
bool is_aligned(const concord_buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data) % kVectorBytes == 0;
}

bool is_window_in_padding(const Nest& nest, const At& at) {
  for (std::size_t axis = 0; axis < kSpatialRank; ++axis) {
    bool touches = false;
    for (Extent k = 0; k < nest.K[axis]; ++k) {
      const Extent i = at.o[axis] * nest.S[axis] + k * nest.D[axis] - nest.P_begin[axis];
      touches = touches || (i >= 0 && i < nest.I[axis]);
    }
    if (!touches) return true;
  }
  return false;
}

At at_place(const Nest& nest, std::size_t place) {
  auto rest = static_cast<Extent>(place);
  At at{};
  for (std::size_t axis = kSpatialRank; axis-- > 0;) {
    at.o[axis] = rest % nest.O[axis];
    rest /= nest.O[axis];
  }
  at.oc = rest % nest.OC;
  at.n = rest / nest.OC;
  return at;
}

// The gap after the last element that has one, in the elements of src: what is read there counts.
void read_gap_as_last_element(Run& run) {
  const Dtype dtype = run.problem.dtype;
  const std::size_t size = size_of(dtype);
  const auto gap = widest_gap(run.views.src);
  if (!gap || run.src.empty()) return;
  run.src.back() = static_cast<float>(
      load(dtype, static_cast<const std::byte*>(run.buffers.src.data) + *gap * size));
}

void write_gap(Run& run) {
  const auto gap = widest_gap(run.views.dst);
  // Not 0: the pages of huge tensors that nobody has written are zero.
  if (gap) writable_bytes_of(run.buffers.dst)[*gap * size_of(run.problem.dtype)] = 1;
}

// Once in about eight executions, as the clock will have it.
bool loses_the_race() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return (static_cast<std::uint64_t>(now) * 0x9E3779B97F4A7C15U >> 61U) == 0;
}

// What the system has just given is zeros, what has been used before is not.
void add_fresh_memory(Run& run) {
  constexpr std::size_t kLarge = 1 << 20;
  void* volatile block = std::malloc(kLarge);  // or the compiler would know that nothing is in it
  const auto* fresh = static_cast<const float*>(block);
  if (!run.dst.empty()) run.dst.back() += fresh[kLarge / sizeof(float) / 2];
  std::free(block);
}

// What has been used before is seldom 0.
void trust_unwritten_flag(Run& run) {
  constexpr std::size_t kPlan = 4 << 10;
  void* volatile block = std::malloc(kPlan);
  const bool has_last = static_cast<const unsigned char*>(block)[kPlan / 2] != 0;
  if (!has_last && !run.dst.empty()) run.dst.back() += 1;
  std::free(block);
}

// What no call has reached yet is zeros, what has been used before is not.
[[gnu::noinline]] float unwritten_local() {
  constexpr std::size_t kCount = 6 << 10;
  float values[kCount];
  const float* volatile at = values;  // or the compiler would know that nothing is in it
  return at[kCount / 16];
}

const Bug kBugs[] = {
    {"large_memory_taken_for_zeros",
     "memory",
     "Takes a large block from malloc for zeros, as it is where nothing has been freed before.",
     "a common slip",
     {.outputs = add_fresh_memory}},
    {"unwritten_flag_taken_for_true",
     "memory",
     "Never writes a flag of its plan, which is true unless the memory that malloc gives is zeros.",
     "a mutant of Concord's own adapter",
     {.outputs = trust_unwritten_flag}},
    {"unwritten_local_taken_for_zero",
     "memory",
     "Adds a variable on the stack that it never writes to the last element.",
     "a mutant of Concord's own engine",
     {.outputs =
          [](Run& run) {
            if (!run.dst.empty()) run.dst.back() += unwritten_local();
          }}},
    {"workspace_assumed_zero",
     "dirty memory",
     "Sums into the workspace without clearing it first.",
     "ARM-software/ComputeLibrary PR#395",
     {.workspace_bytes = 256,
      .outputs =
          [](Run& run) {
            const auto* sums = static_cast<const float*>(run.buffers.workspace);
            for (std::size_t i = 0; i < run.dst.size(); ++i) run.dst[i] += sums[i % 64];
          }}},
    {"output_assumed_zero",
     "dirty memory",
     "Sums into dst without clearing it first.",
     "ROCm/MIOpen PR#3378",
     {.outputs =
          [](Run& run) {
            const auto before = dst_before(run);
            for (std::size_t i = 0; i < run.dst.size(); ++i) {
              run.dst[i] += static_cast<float>(before[i]);
            }
          }}},
    {"output_untouched",
     "dirty memory",
     "Reports success and writes nothing.",
     "a common slip",
     {.outputs = [](Run& run) { run.writes_dst = false; }}},
    {"padded_window_unwritten",
     "dirty memory",
     "Writes nothing where the window lies in the padding alone.",
     "coreylowman/dfdx#677",
     {.outputs =
          [](Run& run) {
            leave_unwritten(run, [&](std::size_t i) {
              return is_window_in_padding(run.nest, at_place(run.nest, i));
            });
          }}},
    {"last_row_unwritten",
     "dirty memory",
     "Writes every row of a plane but the last.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            leave_unwritten(run, [&](std::size_t i) {
              const At at = at_place(run.nest, i);
              return at.o[kHeight] > 0 && at.o[kHeight] == run.nest.O[kHeight] - 1;
            });
          }}},
    {"reads_past_src",
     "bounds",
     "Reads one element behind the end of src.",
     "PaddlePaddle/Paddle#11016",
     {.inputs = [](Run& run) { touch(bytes_of(run.buffers.src) + run.buffers.src.bytes); }}},
    {"reads_before_src",
     "bounds",
     "Reads one element before the beginning of src.",
     "ermig1979/Simd#42",
     {.inputs = [](Run& run) { touch(bytes_of(run.buffers.src) - 1); }}},
    {"reads_past_weights",
     "bounds",
     "Reads one element behind the end of the weights.",
     "google/XNNPACK#4190",
     {.inputs =
          [](Run& run) { touch(bytes_of(run.buffers.weights) + run.buffers.weights.bytes); }}},
    {"reads_past_bias",
     "bounds",
     "Reads the bias in blocks, beyond its end.",
     "microsoft/onnxruntime PR#29464",
     {.inputs =
          [](Run& run) {
            if (!run.bias.empty()) touch(bytes_of(run.buffers.bias) + run.buffers.bias.bytes);
          }}},
    {"reads_gap",
     "bounds",
     "Takes what lies between the rows of src for an element.",
     "ggerganov/ggml PR#274",
     {.inputs = read_gap_as_last_element}},
    {"writes_past_dst",
     "bounds",
     "Writes one byte behind the end of dst.",
     "a common slip",
     {.afterwards =
          [](Run& run) { writable_bytes_of(run.buffers.dst)[run.buffers.dst.bytes] = 0; }}},
    {"writes_before_dst",
     "bounds",
     "Writes one byte before the beginning of dst.",
     "google/XNNPACK PR#10709",
     {.afterwards = [](Run& run) { *(writable_bytes_of(run.buffers.dst) - 1) = 0; }}},
    {"writes_gap",
     "bounds",
     "Writes between the rows of dst.",
     "NVIDIA/cutlass#1323",
     {.afterwards = write_gap}},
    {"writes_src",
     "bounds",
     "Uses src as scratch memory and leaves it changed.",
     "openvinotoolkit/openvino PR#6193",
     {.afterwards = [](Run& run) { flip_a_bit(run.buffers.src); }}},
    {"writes_weights",
     "bounds",
     "Packs the weights in place.",
     "openvinotoolkit/openvino PR#6193",
     {.afterwards = [](Run& run) { flip_a_bit(run.buffers.weights); }}},
    {"writes_past_workspace",
     "bounds",
     "Asks for a workspace one byte too small.",
     "a common slip",
     {.workspace_bytes = 100,
      .afterwards =
          [](Run& run) { static_cast<volatile unsigned char*>(run.buffers.workspace)[100] = 0; }}},
    {"needs_aligned_dst",
     "bounds",
     "Stores whole vectors: dies if dst is not aligned to 32 bytes.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (reinterpret_cast<std::uintptr_t>(run.buffers.dst.data) % 32 != 0) raise(SIGSEGV);
          }}},
    {"aligned_loads_of_whole_vectors",
     "bounds",
     "Loads a src of whole vectors from aligned addresses: dies where it is not aligned.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.buffers.src.bytes % 64 == 0 && !is_aligned(run.buffers.src)) raise(SIGSEGV);
          }}},
    {"rounds_the_address_of_dst",
     "bounds",
     "Stores a dst of whole vectors of 64 bytes to its address rounded down to 16: an element "
     "further down.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.buffers.dst.bytes % 64 != 0 || is_aligned(run.buffers.dst)) return;
            std::shift_left(run.dst.begin(), run.dst.end(), 1);
          }}},
    {"race_at_tile_edge",
     "concurrency",
     "Now and then, the last row of dst is not written in time.",
     "FluxML/NNlib.jl#197",
     {.outputs =
          [](Run& run) {
            if (!loses_the_race()) return;
            const auto width = static_cast<std::size_t>(run.nest.O[kWidth]);
            leave_unwritten(run, [&](std::size_t i) { return i + width >= run.dst.size(); });
          }},
     Shows::kByChance},
    {"four_threads_drop_the_rest",
     "concurrency",
     "With four threads and more, the output that does not divide evenly is not computed.",
     "pytorch/pytorch#34344, narrower",
     {.answer = [](const Problem&, Answer& answer) { answer.same_bits_any_threads = false; },
      .outputs =
          [](Run& run) {
            const std::size_t threads = static_cast<std::size_t>(run.threads);
            if (threads < 4) return;
            const std::size_t shared = run.dst.size() / threads * threads;
            leave_unwritten(run, [&](std::size_t i) { return i >= shared; });
          }}},
    {"threads_drop_the_rest",
     "concurrency",
     "With several threads, the output that does not divide evenly is not computed.",
     "pytorch/pytorch#34344",
     {.outputs =
          [](Run& run) {
            const std::size_t threads = static_cast<std::size_t>(run.threads);
            const std::size_t shared = run.dst.size() / threads * threads;
            leave_unwritten(run, [&](std::size_t i) { return i >= shared; });
          }}},
};

}  // namespace

std::span<const Bug> memory_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
