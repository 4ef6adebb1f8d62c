// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/poison.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace concord::conformance {
namespace {

/// A quiet NaN: three bits of its payload say where it stands, those below have the index.
struct Code {
  std::uint64_t nan;  ///< with an empty payload
  int index_bits;
  std::uint64_t exponent_bit;  ///< that makes a number of the NaN
  std::uint64_t sign;
  std::uint64_t indices() const { return (std::uint64_t{1} << index_bits) - 1; }
};

Code code_of(Dtype dtype) {
  const Format& format = format_of(dtype);
  const auto bit = [](int place) { return std::uint64_t{1} << place; };
  const int bits = 8 * static_cast<int>(format.bytes), fraction_bits = format.significand_bits - 1;
  const int index_bits = fraction_bits - 4;  // the first one makes it quiet, three say where
  // The bytes of an index are complemented; each other byte needs a bit of the exponent.
  return {bit(bits - 1) - bit(fraction_bits - 1), index_bits,
          bit(bits - 3) | (index_bits % 8 == 0 ? bit(fraction_bits) : 0), bit(bits - 1)};
}

// An index would leave bytes of zero, which whoever writes a zero does not change. Complemented in
// another execution, so that no byte can be written as it is in both.
constexpr std::uint64_t kScramble = 0x5a5a5a52a5a5;

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
  return size_of(dtype) == 2 ? kAnyIndices : kAnyIndices * kLowerIndices;
}

// `word` as often as a word of the dtype has room for it.
std::uint64_t repeated(std::uint64_t word, std::size_t bytes, std::size_t in_bytes) {
  for (; bytes < in_bytes; bytes *= 2) word |= word << 8 * bytes;
  return word;
}

// Of 8 bytes, both halves are the word of 4 bytes.
std::uint64_t workspace_word(Dtype dtype, std::int64_t index) {
  const std::int64_t own = modulo(index, modulus_of(Poisoned::kWorkspace, dtype));
  const auto upper = kAnyNan | static_cast<std::uint64_t>(own % kAnyIndices);
  if (size_of(dtype) == 2) return upper;
  const auto word = upper << 16 | kLowerNan | static_cast<std::uint64_t>(own / kAnyIndices);
  return repeated(word, 4, size_of(dtype));
}

}  // namespace

Poison::Poison(Poisoned where, Dtype dtype, bool again, std::int64_t fixed)
    : where_(where),
      dtype_(dtype),
      unit_(static_cast<std::ptrdiff_t>(size_of(dtype))),
      fixed_(fixed) {
  if (!again) return;
  // In a workspace, of each half word: nobody knows its type.
  turned_ = where == Poisoned::kWorkspace ? repeated(0x2000, 2, size_of(dtype))
                                          : code_of(dtype).exponent_bit;
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

std::uint64_t Poison::word(std::int64_t index) const {
  if (where_ == Poisoned::kWorkspace) return workspace_word(dtype_, index) ^ turned_;
  const Code code = code_of(dtype_);
  const std::uint64_t scramble = turned_ == 0 ? kScramble : ~kScramble;
  const auto own = fixed_ < 0 ? static_cast<std::uint64_t>(index) ^ scramble
                              : static_cast<std::uint64_t>(fixed_);
  return (code.nan | static_cast<std::uint64_t>(where_) << code.index_bits |
          (own & code.indices())) ^
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
  const std::uint64_t at_zero = word(0);
  const std::uint64_t changing = fixed_ < 0 ? code_of(dtype_).indices() : 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto own =
        static_cast<Word>(at_zero ^ (static_cast<std::uint64_t>(first + i) & changing));
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
  if (unit_ == 8) {
    fill_words<std::uint64_t>(at, words, first);
  } else if (unit_ == 4) {
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

int heap_perturbation(std::string_view problem, bool other) {
  constexpr int kHarmful = 0x01, kZeros = 0xFF;
  const int sum = std::accumulate(problem.begin(), problem.end(), other ? 1 : 0);
  return sum % 2 == 0 ? kHarmful : kZeros;
}

std::optional<PoisonOrigin> origin_of(Dtype dtype, const void* element) {
  const Code code = code_of(dtype);
  std::uint64_t word = 0;  // dtypes are little-endian
  std::memcpy(&word, element, size_of(dtype));
  word &= ~code.sign;
  if ((word & code.nan) != code.nan) return std::nullopt;
  const std::uint64_t payload = word ^ code.nan;
  const auto where = static_cast<Poisoned>(payload >> code.index_bits);
  // Words of a workspace do not depend on the dtype: in f64 their first bits say any place.
  if (where == Poisoned::kWorkspace || dtype == Dtype::kF64) {
    const std::int64_t modulus = modulus_of(Poisoned::kWorkspace, dtype);
    for (std::int64_t index = 0; index < modulus; ++index) {
      if (workspace_word(dtype, index) != word) continue;
      return PoisonOrigin{Poisoned::kWorkspace, index, modulus};
    }
  }
  if (where < Poisoned::kSrcGap || where == Poisoned::kWorkspace) return std::nullopt;
  const std::uint64_t scramble = where == Poisoned::kBeside ? 0 : kScramble;
  const auto index = static_cast<std::int64_t>((payload ^ scramble) & code.indices());
  return PoisonOrigin{where, index, modulus_of(where, dtype)};
}

}  // namespace concord::conformance
