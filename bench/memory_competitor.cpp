// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "bench/competitor.h"
#include "spec/dtype.h"

namespace concord::bench {
namespace {

// Computes nothing: reads weights and src and writes dst, from beginning to end, as a layer does
// that takes no time but for memory and caches.
class MemoryCompetitor : public Competitor {
 public:
  MemoryCompetitor(const Operands& operands, void* dst)
      : src_(static_cast<const std::byte*>(operands.src)),
        weights_(static_cast<const std::byte*>(operands.weights)),
        dst_(static_cast<std::byte*>(dst)),
        src_bytes_(bytes_of(operands.problem.src, operands.problem.dtype)),
        weights_bytes_(bytes_of(operands.problem.weights, operands.problem.dtype)),
        dst_bytes_(bytes_of(operands.shape.dst_tensor, operands.problem.dtype)) {}

  void run() override {
    read(weights_, 0, weights_bytes_);
    const std::size_t chunks = dst_bytes_ / kChunk + 1;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      read(src_, src_bytes_ * chunk / chunks, src_bytes_ * (chunk + 1) / chunks);
      const std::size_t first = chunk * kChunk;
      std::memset(dst_ + first, static_cast<int>(read_ & 1U), std::min(kChunk, dst_bytes_ - first));
    }
  }

  std::string implementation() const override {
    return "reads weights and src and writes dst once";
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kChunk = 4096;

  static std::size_t bytes_of(const Tensor& tensor, Dtype dtype) {
    return static_cast<std::size_t>(*element_count(tensor.dims)) * size_of(dtype);
  }

  // A word of each line.
  void read(const std::byte* from, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at + kLine <= end; at += kLine) {
      std::uint64_t word = 0;
      std::memcpy(&word, from + at, sizeof word);
      read_ ^= word;
    }
  }

  const std::byte *src_, *weights_;
  std::byte* dst_;
  std::size_t src_bytes_, weights_bytes_, dst_bytes_;
  std::uint64_t read_ = 0;
};

}  // namespace

std::unique_ptr<Competitor> make_memory(const Operands& operands, void* dst) {
  return std::make_unique<MemoryCompetitor>(operands, dst);
}

}  // namespace concord::bench
