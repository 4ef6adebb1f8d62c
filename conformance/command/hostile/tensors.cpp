// SPDX-License-Identifier: Apache-2.0
// Attacks by the memory that host and worker share, descriptor 4 of a worker.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "conformance/command/hostile/deeds.h"

namespace concord::hostile {
namespace {

constexpr int kArena = 4;
// As conformance/worker/arena.h lays it out: control, then six slots, of which src has the first.
constexpr std::size_t kControl = std::size_t{64} << 10;
constexpr std::size_t kSlots = 6;

std::size_t arena_bytes() {
  struct stat file {};
  fstat(kArena, &file);
  return static_cast<std::size_t>(file.st_size);
}

std::byte* map(std::size_t offset, std::size_t bytes) {
  void* const there =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kArena, static_cast<off_t>(offset));
  return there == MAP_FAILED ? nullptr : static_cast<std::byte*>(there);
}

// The last page of a slot: the end of its tensor.
bool spoil_end_of(std::size_t slot) {
  const std::size_t slot_bytes = (arena_bytes() - kControl) / kSlots;
  std::byte* const page = map(kControl + (slot + 1) * slot_bytes - 4096, 4096);
  if (page != nullptr) memset(page, 0, 4096);
  return false;
}

constexpr Deed kDeeds[] = {
    {"src as if it were zero, by another mapping", "execute", "FAIL", "", "",
     [](const World&) { return spoil_end_of(0); }},
    {"weights as if they were zero, by another mapping", "execute", "FAIL", "", "",
     [](const World&) { return spoil_end_of(1); }},
    {"the record of a crash, forged", "execute", "CRASH", "", "",
     [](const World&) -> bool {
       if (std::byte* const control = map(0, kControl)) memset(control, 0x41, 4096);
       _exit(9);
     }},
    {"the shared memory cut short", "execute", "FAIL", "", "",
     [](const World&) { return ftruncate(kArena, 0) == 0; }},
    {"the shared memory made longer", "execute", "FAIL", "", "",
     [](const World&) { return ftruncate(kArena, off_t{1} << 40) == 0; }},
    {"the shared memory sealed against the host", "execute", "FAIL", "", "",
     [](const World&) { return fcntl(kArena, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0; }},
    {"holes in the shared memory", "execute", "FAIL", "", "",
     [](const World&) {
       fallocate(kArena, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                 static_cast<off_t>(arena_bytes()));
       return false;
     }},
    {"the rights of the shared memory", "execute", "FAIL", "", "",
     [](const World&) {
       fchmod(kArena, 0);
       return false;
     }},
    {"the shared memory locked", "execute", "FAIL", "", "",
     [](const World&) {
       flock exclusive{};
       exclusive.l_type = F_WRLCK;
       fcntl(kArena, F_SETLK, &exclusive);
       return false;
     }},
    {"a mapping in place of its own tensors", "execute", "FAIL", "", "", [](const World&) {
       close(kArena);
       return false;
     }}};

}  // namespace

std::span<const Deed> deeds_of_tensors() { return kDeeds; }

}  // namespace concord::hostile
