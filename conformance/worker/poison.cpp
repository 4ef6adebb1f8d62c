// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/poison.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace concord::conformance {
namespace {

/// A quiet NaN: three bits of its payload say where it stands, those below have the index.
struct Code {
  std::uint32_t nan;  ///< with an empty payload
  int index_bits;
};

Code code_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return {0x7fc00000, 19};
    case Dtype::kF16:
      return {0x7e00, 6};
    case Dtype::kBF16:
      return {0x7fc0, 3};
  }
  return {};
}

// An index would leave bytes of zero, which whoever writes a zero does not change. Complemented in
// another execution, so that no byte can be written as it is in both.
constexpr std::uint32_t kScramble = 0x2a5a5;

// Nobody knows what a library takes the words of its workspace for: either half of each is a NaN
// in every dtype. 0x7ff8 is one with all bits of Poisoned set; an index of 7 would make it the NaN
// of some compilers, 0x7fff.
constexpr std::uint32_t kAnyNan = 0x7ff8;
constexpr std::int64_t kAnyIndices = 7;
// The lower half of a word of 32 bits: 6 free bits.
constexpr std::uint32_t kLowerNan = 0x7fc0;
constexpr std::int64_t kLowerIndices = 64;

std::int64_t modulo(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

std::int64_t modulus_of(Poisoned where, Dtype dtype) {
  if (where != Poisoned::kWorkspace) return std::int64_t{1} << code_of(dtype).index_bits;
  return dtype == Dtype::kF32 ? kAnyIndices * kLowerIndices : kAnyIndices;
}

std::uint32_t workspace_word(Dtype dtype, std::int64_t index) {
  const std::int64_t own = modulo(index, modulus_of(Poisoned::kWorkspace, dtype));
  const auto upper = kAnyNan | static_cast<std::uint32_t>(own % kAnyIndices);
  if (dtype != Dtype::kF32) return upper;
  return upper << 16 | kLowerNan | static_cast<std::uint32_t>(own / kAnyIndices);
}

}  // namespace

Poison::Poison(Poisoned where, Dtype dtype, bool again, std::int64_t fixed)
    : where_(where),
      dtype_(dtype),
      unit_(static_cast<std::ptrdiff_t>(size_of(dtype))),
      fixed_(fixed) {
  if (!again) return;
  turned_ = unit_ == 2 ? 0x2000 : where == Poisoned::kWorkspace ? 0x20002000 : 0x20000000;
}

Poison Poison::gaps(Input input, Dtype dtype) {
  return Poison(static_cast<Poisoned>(static_cast<int>(input) + 1), dtype, false);
}

Poison Poison::beside(Input input, Dtype dtype) {
  return Poison(Poisoned::kBeside, dtype, false, static_cast<std::int64_t>(input));
}

Poison Poison::dst(Dtype dtype, bool again) { return Poison(Poisoned::kDst, dtype, again); }

Poison Poison::workspace(Dtype dtype, bool again) {
  return Poison(Poisoned::kWorkspace, dtype, again);
}

std::uint32_t Poison::word(std::int64_t index) const {
  if (where_ == Poisoned::kWorkspace) return workspace_word(dtype_, index) ^ turned_;
  const Code code = code_of(dtype_);
  const std::uint32_t scramble = turned_ == 0 ? kScramble : ~kScramble;
  const auto own = fixed_ < 0 ? static_cast<std::uint32_t>(index) ^ scramble
                              : static_cast<std::uint32_t>(fixed_);
  const std::uint32_t mask = (1U << code.index_bits) - 1;
  return (code.nan | static_cast<std::uint32_t>(where_) << code.index_bits | (own & mask)) ^
         turned_;
}

std::byte Poison::byte(std::ptrdiff_t offset) const {
  const std::ptrdiff_t within = modulo(offset, unit_);
  return static_cast<std::byte>(word((offset - within) / unit_) >> 8 * within);
}

// word() of each index from `first` on.
template <class Word>
void Poison::fill_words(std::byte* at, std::ptrdiff_t count, std::int64_t first) const {
  if (where_ == Poisoned::kWorkspace) return repeat_words<Word>(at, count, first);
  // A formula without a branch, of which the compiler makes many words at a time.
  const std::uint32_t at_zero = word(0);
  const std::uint32_t changing = fixed_ < 0 ? (1U << code_of(dtype_).index_bits) - 1 : 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto own =
        static_cast<Word>(at_zero ^ (static_cast<std::uint32_t>(first + i) & changing));
    std::memcpy(at + i * static_cast<std::ptrdiff_t>(sizeof own), &own, sizeof own);
  }
}

// The same of a workspace, whose words repeat soon.
template <class Word>
void Poison::repeat_words(std::byte* at, std::ptrdiff_t count, std::int64_t first) const {
  const std::ptrdiff_t period = modulus_of(where_, dtype_);
  std::ptrdiff_t done = std::min(count, period);
  for (std::ptrdiff_t i = 0; i < done; ++i) {
    const auto own = static_cast<Word>(word(first + i));
    std::memcpy(at + i * unit_, &own, sizeof own);
  }
  while (done < count) {  // whole periods, as many as there are already; at last a part of one
    const std::ptrdiff_t more = std::min(done, count - done);
    std::memcpy(at + done * unit_, at, static_cast<std::size_t>(more * unit_));
    done += more;
  }
}

void Poison::fill(std::span<std::byte> bytes, std::ptrdiff_t offset) const {
  const auto size = static_cast<std::ptrdiff_t>(bytes.size());
  const std::ptrdiff_t head = std::min(size, modulo(-offset, unit_));
  for (std::ptrdiff_t i = 0; i < head; ++i) bytes[static_cast<std::size_t>(i)] = byte(offset + i);
  const std::ptrdiff_t words = (size - head) / unit_;
  const std::int64_t first = (offset + head) / unit_;
  std::byte* const at = bytes.data() + head;
  if (unit_ == 4) {
    fill_words<std::uint32_t>(at, words, first);
  } else {
    fill_words<std::uint16_t>(at, words, first);
  }
  for (std::ptrdiff_t i = head + words * unit_; i < size; ++i) {
    bytes[static_cast<std::size_t>(i)] = byte(offset + i);
  }
}

std::size_t Poison::count_written(std::span<const std::byte> bytes, std::ptrdiff_t offset) const {
  std::array<std::byte, 4096> expected;
  std::size_t written = 0;
  for (std::size_t done = 0; done < bytes.size(); done += expected.size()) {
    const auto part = bytes.subspan(done, std::min(expected.size(), bytes.size() - done));
    fill(std::span(expected).first(part.size()), offset + static_cast<std::ptrdiff_t>(done));
    if (std::memcmp(part.data(), expected.data(), part.size()) == 0) continue;
    for (std::size_t i = 0; i < part.size(); ++i) written += part[i] != expected[i] ? 1U : 0U;
  }
  return written;
}

std::optional<PoisonOrigin> origin_of(Dtype dtype, const void* element) {
  std::uint32_t word = 0;
  std::uint16_t half = 0;
  std::memcpy(dtype == Dtype::kF32 ? static_cast<void*>(&word) : &half, element, size_of(dtype));
  if (dtype != Dtype::kF32) word = half;
  const std::uint32_t sign = dtype == Dtype::kF32 ? 0x80000000 : 0x8000;
  word &= ~sign;
  const Code code = code_of(dtype);
  if ((word & code.nan) != code.nan) return std::nullopt;
  const std::uint32_t payload = word ^ code.nan;
  const auto where = static_cast<Poisoned>(payload >> code.index_bits);
  if (where < Poisoned::kSrcGap) return std::nullopt;
  const std::int64_t modulus = modulus_of(where, dtype);
  if (where != Poisoned::kWorkspace) {
    const std::uint32_t scramble = where == Poisoned::kBeside ? 0 : kScramble;
    return PoisonOrigin{where, (payload ^ scramble) & ((1U << code.index_bits) - 1), modulus};
  }
  for (std::int64_t index = 0; index < modulus; ++index) {
    if (workspace_word(dtype, index) == word) return PoisonOrigin{where, index, modulus};
  }
  return std::nullopt;
}

}  // namespace concord::conformance
