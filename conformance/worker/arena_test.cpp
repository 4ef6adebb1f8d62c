// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/arena.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
  arena.put(Slot::kSrc, src, Poison::beside(Input::kSrc, Dtype::kF32));
  const auto* seen = static_cast<const std::byte*>(view.open(Slot::kSrc, tensor_place(4)));
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(std::vector<std::byte>(seen, seen + 4), src);
  EXPECT_EQ((reinterpret_cast<std::uintptr_t>(seen) + 4) % 4096, 0u);
}

TEST(Arena, HostSeesWhatTheWorkerWritesAroundATensor) {
  const Arena arena = make_arena();
  auto mapped = TensorView::map(arena.descriptor());
  TensorView view = *mapped;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{6}, std::size_t{5000}}) {
    const Place place = workspace_place(bytes, 32);
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
