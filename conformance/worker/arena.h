// SPDX-License-Identifier: Apache-2.0
// The memory that host and worker share: one sparse file with a slot for each tensor, of which the
// worker may touch the last pages, as many as the tensor needs. It lies at the end of them, so that
// the byte after it is in no mapping of the worker's, or at their beginning, so that the byte
// before it is in none, unless it would be aligned at both (tensor_place()).
//
//   | control | src slot | weights slot | bias slot | diff_dst slot | dst slot | workspace slot |
//      a slot: | inaccessible ... | slack, tensor |   pages that the worker may touch
//          or: | inaccessible ... | tensor, slack |
#ifndef CONCORD_CONFORMANCE_WORKER_ARENA_H_
#define CONCORD_CONFORMANCE_WORKER_ARENA_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "conformance/worker/descriptor.h"
#include "conformance/worker/fault.h"
#include "conformance/worker/lack.h"
#include "conformance/worker/poison.h"
#include "spec/problem.h"

namespace concord::conformance {

enum class Slot { kSrc, kWeights, kBias, kDiffDst, kDst, kWorkspace };
inline constexpr Slot kSlots[] = {Slot::kSrc,     Slot::kWeights, Slot::kBias,
                                  Slot::kDiffDst, Slot::kDst,     Slot::kWorkspace};
inline constexpr std::size_t kSlotCount = std::size(kSlots);
/// "src", "weights", "bias", "diff_dst", "dst" or "workspace".
std::string_view to_string(Slot slot);
inline Slot slot_of(Input input) { return static_cast<Slot>(input); }

/// The largest tensor, and the largest of those in a memory for huge ones (huge_trial.h).
inline constexpr std::size_t kLargestTensor = std::size_t{4} << 30;
inline constexpr std::size_t kLargestHugeTensor = std::size_t{64} << 30;
inline constexpr std::size_t kControlBytes = std::size_t{64} << 10;
/// The largest workspace that a plugin gets, and the largest alignment of it.
inline constexpr std::size_t kLargestWorkspace = std::size_t{1} << 30;
inline constexpr std::size_t kLargestAlignment = std::size_t{2} << 20;
/// With room to move the largest one by its alignment (Side). Address space only: pages come when
/// they are written.
inline constexpr std::size_t kSlotBytes = kLargestTensor + kLargestAlignment;
inline constexpr std::size_t kHugeSlotBytes = kLargestHugeTensor + kLargestAlignment;

/// At which end of its pages a tensor or workspace lies. Where it fills them, it lies at both; then
/// at kBeginning all of it is a page further down, or more for its alignment, so that its address
/// is another one.
enum class Side { kEnd, kBeginning };

/// Where in its slot a tensor lies: it begins `room` bytes before the slot's end, which may be more
/// than it has.
struct Place {
  std::size_t bytes = 0;
  std::size_t room = 0;
};
/// Shapes  alignment is a power of two, at most kLargestAlignment
Place aligned_place(std::size_t bytes, std::size_t alignment, Side side = Side::kEnd);
/// At the end of its pages.
inline Place tensor_place(std::size_t bytes) { return aligned_place(bytes, 1); }
/// The shortest vectors that processors load from aligned addresses alone.
inline constexpr std::size_t kAlignedLoadBytes = 16;
/// A tensor of whole such vectors is aligned for them at the end of its pages, and would be at the
/// beginning. Of half of the sizes, by a hash, it begins one element further on there: these meet
/// both kinds of address, the others a page directly before them.
Place tensor_place(std::size_t bytes, Side side, std::size_t element_bytes);

/// Of this machine.
std::size_t page_bytes();

/// The pages that hold a tensor, as distances from the slot's end: of one of 5,000 bytes 8192 and
/// 0, and of a workspace of 4,096 bytes 4096 and 0, at kBeginning 8192 and 4096.
struct WindowPages {
  std::size_t begin = 0, end = 0;  ///< whole pages, begin >= end
  std::size_t size() const { return begin - end; }
};
WindowPages window_pages(const Place& place);

/// The offset in the file of the end of a slot.
inline std::size_t slot_end(Slot slot, std::size_t slot_bytes) {
  return kControlBytes + (static_cast<std::size_t>(slot) + 1) * slot_bytes;
}
/// The size of a file with such slots, and the other way round.
inline std::size_t file_bytes(std::size_t slot_bytes) {
  return slot_end(kSlots[kSlotCount - 1], slot_bytes);
}
inline std::size_t slot_bytes_of(std::size_t file_bytes) {
  return (file_bytes - kControlBytes) / kSlotCount;
}

/// Bytes of a tensor, from `begin` on.
struct Range {
  std::size_t begin = 0, size = 0;
  std::size_t end() const { return begin + size; }
};

/// Why no plugin gets the workspace that it asks for, if that is so.
std::optional<std::string> fault_of_workspace(std::size_t bytes, std::size_t alignment);

/// The first bytes of the file, written by the worker, where a crash may have left anything.
struct Control {
  FaultRecord fault{};
  std::atomic<std::uint64_t> requests{0};              ///< begun since the worker started
  Place workspace{};                                   ///< of the last execution
  std::array<std::uintptr_t, kSlotCount> slot_ends{};  ///< addresses in the worker
  std::uintptr_t arguments = 0;                        ///< their base
};

/// The host's side of the memory.
class Arena {
 public:
  static Result<Arena, StartError> create(std::size_t slot_bytes = kSlotBytes);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;
  ~Arena();

  int descriptor() const { return file_.get(); }
  std::size_t slot_bytes() const { return slot_bytes_; }
  /// The offset in the file of where a tensor begins.
  std::size_t offset_of(Slot slot, const Place& place) const {
    return slot_end(slot, slot_bytes_) - place.room;
  }
  /// For an arena that nobody will open any more: the mapping stays.
  void close_descriptor() { file_.close(); }
  const Control& control() const { return *reinterpret_cast<const Control*>(base_); }

  std::span<std::byte> bytes_of(Slot slot, const Place& place) const;
  /// Copies a tensor to its place and poisons the slack beside it.
  void put(Slot slot, std::span<const std::byte> tensor, const Poison& beside,
           const Place& place) const;
  /// Poisons the whole window.
  void poison(Slot slot, const Place& place, const Poison& poison) const;
  /// The number of bytes of the window, outside the place itself, that are no longer poison.
  std::size_t bytes_written_around(Slot slot, const Place& place, const Poison& poison) const;
  /// Gives the memory of a slot that held something large back to the system.
  void trim(Slot slot, const Place& place) const;
  /// Gives all memory of a slot back: it holds zeros then.
  void clear(Slot slot) const;
  /// The number of bytes of a cleared slot that are no longer zero, but for those in `besides`.
  /// Looks at no page that nobody has touched.
  /// Shapes  besides are ranges of the slot, ascending, none within another
  std::size_t bytes_set(Slot slot, std::span<const Range> besides) const;

 private:
  Arena(Descriptor file, std::byte* base, std::size_t slot_bytes)
      : file_(std::move(file)), base_(base), slot_bytes_(slot_bytes) {}
  std::span<std::byte> window(Slot slot, const Place& place) const;

  Descriptor file_;
  std::byte* base_;
  std::size_t slot_bytes_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_ARENA_H_
