// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/arena.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "conformance/worker/channel.h"
#include "conformance/worker/tensor_view.h"
#include "spec/dtype.h"

namespace concord::conformance {
namespace {

Arena make_arena() {
  auto made = Arena::create();
  EXPECT_TRUE(made);
  return *std::move(made);
}

TEST(Arena, WorkerSeesWhatTheHostPutsAtTheEndOfItsPages) {
  const Arena arena = make_arena();
  auto mapped = TensorView::map(arena.descriptor());
  ASSERT_TRUE(mapped);
  TensorView view = *mapped;
  const std::vector<std::byte> src = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  arena.put(Slot::kSrc, src, Poison::beside(Input::kSrc, Dtype::kF32), tensor_place(4));
  const auto* seen = static_cast<const std::byte*>(view.open(Slot::kSrc, tensor_place(4)));
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(std::vector<std::byte>(seen, seen + 4), src);
  EXPECT_EQ((reinterpret_cast<std::uintptr_t>(seen) + 4) % 4096, 0u);
}

void expect_fault(const volatile std::byte* address) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would exit
        [[maybe_unused]] const std::byte read = *address;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(Arena, PutsATensorAtEitherEndOfPagesThatNothingIsBeside) {
  const Arena arena = make_arena();
  auto mapped = TensorView::map(arena.descriptor());
  TensorView view = *mapped;
  const Poison beside = Poison::beside(Input::kSrc, Dtype::kF32);
  for (const std::size_t bytes : {5000U, 8192U, 8U, 0U, 4096U, 4080U, 48U, 44U, 64U, 112U}) {
    const bool moves = bytes == 8192 || bytes == 4096 || bytes == 64 || bytes == 112;
    const std::vector<std::byte> src(bytes, std::byte{3});
    const auto see = [&](Side side) {
      const Place place = tensor_place(bytes, side, 4);
      arena.put(Slot::kSrc, src, beside, place);
      auto* seen = static_cast<std::byte*>(view.open(Slot::kSrc, place));
      EXPECT_EQ(std::vector<std::byte>(seen, seen + bytes), src);
      const WindowPages pages = window_pages(place);
      const std::size_t shift = moves && side == Side::kBeginning ? 4 : 0;
      EXPECT_EQ(pages.size(), (bytes + shift + 4095) / 4096 * 4096);
      expect_fault(seen + place.room - pages.begin - 1);
      expect_fault(seen + place.room - pages.end);
      return seen;
    };
    const std::byte* const at_end = see(Side::kEnd);
    const std::byte* const at_beginning = see(Side::kBeginning);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at_end + bytes) % 4096, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at_beginning) % 4096, moves ? 4U : 0U);
    EXPECT_NE(at_end, at_beginning) << bytes;
    // The same pages, so that what was there is overwritten.
    if (bytes % 4096 != 0) {
      EXPECT_LT(at_end - at_beginning, 4096) << bytes;
    }
  }
}

TEST(Arena, HostSeesWhatTheWorkerWritesAroundATensor) {
  const Arena arena = make_arena();
  auto mapped = TensorView::map(arena.descriptor());
  TensorView view = *mapped;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{6}, std::size_t{5000}}) {
    const Place place = aligned_place(bytes, 32);
    const Poison poison = Poison::workspace(Dtype::kF32);
    arena.poison(Slot::kWorkspace, place, poison);
    auto* memory = static_cast<std::byte*>(view.open(Slot::kWorkspace, place));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 32, 0u);
    EXPECT_EQ(arena.bytes_written_around(Slot::kWorkspace, place, poison), 0u);
    if (bytes == 0) continue;
    std::fill(memory, memory + bytes, std::byte{0});
    EXPECT_EQ(arena.bytes_written_around(Slot::kWorkspace, place, poison), 0u);
    memory[-1] = memory[bytes] = std::byte{0};
    EXPECT_EQ(arena.bytes_written_around(Slot::kWorkspace, place, poison), 2u);
  }
}

std::int64_t kilobytes_of(const Arena& arena) {
  struct stat file {};
  EXPECT_EQ(fstat(arena.descriptor(), &file), 0);
  return file.st_blocks * 512 >> 10;
}

/// A memory for huge tensors, and a worker's view of it.
struct Huge {
  Arena arena;
  TensorView view;

  static Huge make() {
    auto made = Arena::create(kHugeSlotBytes);
    EXPECT_TRUE(made);
    auto view = TensorView::map((*made).descriptor());
    EXPECT_TRUE(view);
    return {*std::move(made), *view};
  }
};

constexpr std::size_t kGib = std::size_t{1} << 30;

TEST(Arena, OfHugeTensorsIsReadByTheGigabyteAndTakesNoMemory) {
  Huge huge = Huge::make();
  const Place place = tensor_place(20 * kGib, Side::kBeginning, 4);
  const std::size_t at = 17 * kGib;
  const Range page{huge.arena.slot_bytes() - place.room + at, 4096};
  huge.arena.bytes_of(Slot::kSrc, place)[at + 5] = std::byte{7};
  const auto* src =
      static_cast<const std::byte*>(huge.view.open_zeros(Slot::kSrc, place, {{page}}));
  ASSERT_NE(src, nullptr);
  const auto before = kilobytes_of(huge.arena);
  std::size_t set = 0;
  // Few of its pages: children inherit the most memory that this process ever had.
  for (std::size_t i = 16 * kGib + 5; i < 18 * kGib; i += kGib / 512) {
    set += src[i] != std::byte{0} ? 1U : 0U;
  }
  EXPECT_EQ(set, 1U);
  EXPECT_EQ(src[at + 5], std::byte{7});
  EXPECT_EQ(kilobytes_of(huge.arena), before);
  // An ordinary tensor comes after it.
  const auto* other = static_cast<const std::byte*>(huge.view.open(Slot::kSrc, place));
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other[at + 5], std::byte{7});
}

TEST(Arena, OpensHugeWindowsOneAfterAnother) {
  Huge huge = Huge::make();
  for (const std::size_t bytes : {44 * kGib, 40 * kGib, 50 * kGib}) {
    for (const Side side : {Side::kEnd, Side::kBeginning}) {
      auto* dst = static_cast<volatile std::byte*>(
          huge.view.open(Slot::kDst, tensor_place(bytes, side, 4)));
      ASSERT_NE(dst, nullptr);
      for (const std::size_t at : {std::size_t{0}, 20 * kGib, bytes - 1}) dst[at] = std::byte{1};
    }
    const auto* dst = static_cast<volatile std::byte*>(
        huge.view.open(Slot::kDst, tensor_place(bytes, Side::kBeginning, 4)));
    expect_fault(dst + bytes);
  }
}

TEST(Arena, CountsWhatIsSetInAHugeTensorBesidesItsElements) {
  Huge huge = Huge::make();
  const Place place = tensor_place(20 * kGib);
  auto* dst = static_cast<volatile std::byte*>(huge.view.open(Slot::kDst, place));
  ASSERT_NE(dst, nullptr);
  const std::size_t begin = kHugeSlotBytes - place.bytes;
  const std::vector<Range> elements = {{begin, 4096}, {begin + 9 * kGib, 8192}};
  EXPECT_EQ(huge.arena.bytes_set(Slot::kDst, elements), 0U);
  for (const std::size_t at : {std::size_t{1}, 9 * kGib + 8191}) dst[at] = std::byte{1};
  const std::byte unset = dst[3 * kGib];  // reading is no harm
  EXPECT_EQ(unset, std::byte{0});
  EXPECT_EQ(huge.arena.bytes_set(Slot::kDst, elements), 0U);
  for (const std::size_t at : {std::size_t{4096}, 9 * kGib - 1, 9 * kGib + 8192, 20 * kGib - 1}) {
    dst[at] = std::byte{1};
  }
  EXPECT_EQ(huge.arena.bytes_set(Slot::kDst, elements), 4U);
  EXPECT_EQ(huge.arena.bytes_set(Slot::kDst, {}), 6U);
  huge.arena.clear(Slot::kDst);
  EXPECT_EQ(huge.arena.bytes_set(Slot::kDst, {}), 0U);
  EXPECT_EQ(kilobytes_of(huge.arena), 4);  // the page of Control
}

TEST(Arena, GivesTheMemoryOfALargeTensorBack) {
  const Arena arena = make_arena();
  const Place large = tensor_place(std::size_t{96} << 20);
  arena.poison(Slot::kDst, large, Poison::dst(Dtype::kF32));
  const auto megabytes = [&] {
    struct stat file {};
    EXPECT_EQ(fstat(arena.descriptor(), &file), 0);
    return file.st_blocks * 512 >> 20;
  };
  EXPECT_GE(megabytes(), 96);
  arena.trim(Slot::kDst, large);
  EXPECT_LE(megabytes(), 64);
}

TEST(LineBuffer, CutsLinesWhereverTheBytesAreCut) {
  LineBuffer buffer;
  EXPECT_EQ(buffer.take_line(), std::nullopt);
  buffer.append("on");
  EXPECT_EQ(buffer.take_line(), std::nullopt);
  buffer.append("e\n\nthr");
  EXPECT_EQ(buffer.take_line(), "one");
  EXPECT_EQ(buffer.take_line(), "");
  EXPECT_EQ(buffer.take_line(), std::nullopt);
  EXPECT_FALSE(buffer.empty());
  buffer.append("ee\n");
  EXPECT_EQ(buffer.take_line(), "three");
  EXPECT_TRUE(buffer.empty());
}

}  // namespace
}  // namespace concord::conformance
