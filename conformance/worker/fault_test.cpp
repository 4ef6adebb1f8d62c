// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/fault.h"

#include <gtest/gtest.h>

#include <csignal>

#include "conformance/worker/arena.h"

namespace concord::conformance {
namespace {

/// A worker whose src of 16 bytes ends at kEnd and that has no other tensor.
struct Scene {
  static constexpr std::uintptr_t kEnd = std::uintptr_t{1} << 40;
  Control control{};
  std::array<Place, kSlotCount> places{tensor_place(16)};

  std::string describe(std::uintptr_t address, Access access = Access::kRead,
                       int code = SEGV_MAPERR, int signal = SIGSEGV) {
    control.slot_ends[0] = kEnd;
    control.fault.address = address;
    control.fault.access = access;
    control.fault.code = code;
    control.fault.signal = SIGSEGV;
    return describe_fault(signal, control, places.data(), kSlotBytes);
  }
};

TEST(Fault, IsToldByItsDistanceFromTheTensor) {
  Scene scene;
  EXPECT_EQ(scene.describe(Scene::kEnd), "read directly after the end of src");
  EXPECT_EQ(scene.describe(Scene::kEnd + 1), "read 1 bytes after the end of src");
  EXPECT_EQ(scene.describe(Scene::kEnd - 17), "read 1 bytes before the beginning of src");
  EXPECT_EQ(scene.describe(Scene::kEnd - 16, Access::kWrite),
            "write at byte 0 of src, which is read-only");
}

TEST(Fault, FarFromEveryTensorIsAnAddress) {
  Scene scene;
  EXPECT_EQ(scene.describe(0x18, Access::kWrite), "write at address 0x18, a null pointer");
  EXPECT_EQ(scene.describe(std::uintptr_t{1} << 45), "read at address 0x200000000000");
  EXPECT_EQ(scene.describe(0, Access::kJump), "jump at address 0x0, a null pointer");
}

TEST(Fault, OfAnotherSignalOrNoneIsNotTold) {
  Scene scene;
  EXPECT_EQ(scene.describe(Scene::kEnd, Access::kRead, SEGV_MAPERR, SIGKILL), "");
  EXPECT_EQ(describe_fault(SIGSEGV, Control{}, scene.places.data(), kSlotBytes), "");
}

TEST(Fault, ARecordFullOfNonsenseIsStillTold) {
  Scene scene;
  scene.control.slot_ends.fill(UINTPTR_MAX);
  EXPECT_EQ(scene.describe(UINTPTR_MAX, static_cast<Access>(77)),
            "access at address 0xffffffffffffffff");
}

}  // namespace
}  // namespace concord::conformance
