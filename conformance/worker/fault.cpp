// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/fault.h"

#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iterator>
#include <optional>
#include <sstream>

#include "conformance/worker/arena.h"
#include "conformance/worker/arguments.h"

namespace concord::conformance {
namespace {

constexpr std::uintptr_t kNearNull = 64 << 10;
// How far beyond a slot an address still counts as a miss of that slot's tensor.
constexpr std::uintptr_t kGuardReach = std::uintptr_t{512} << 20;

// A signal handler has no other way to know where to write.
std::atomic<FaultRecord*> fault_record{nullptr};  // NOLINT(*-avoid-non-const-global-variables)

Access access_of([[maybe_unused]] const void* context) {
#if defined(__x86_64__) && defined(__linux__)
  // Bits of the page-fault error code: 2 is set for writes, 16 for instruction fetches. Source:
  // Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3A, "Page-Fault
  // Exception".
  const auto error = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  if ((error & 16) != 0) return Access::kJump;
  return (error & 2) != 0 ? Access::kWrite : Access::kRead;
#else
  return Access::kUnknown;
#endif
}

// The thread whose fault is recorded, by gettid().
std::atomic<pid_t> faulting_thread{0};  // NOLINT(*-avoid-non-const-global-variables)

void on_fault(int signal, siginfo_t* info, void* context) {
  pid_t first = 0;
  if (!faulting_thread.compare_exchange_strong(first, gettid())) {
    // A second thread must not end the process before the first one has recorded its fault.
    while (first != gettid()) pause();
    std::signal(signal, SIG_DFL);  // a fault of this handler itself
    raise(signal);
  }
  FaultRecord& record = *fault_record.load();
  record.code = info->si_code;
  record.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  record.access = signal == SIGSEGV || signal == SIGBUS ? access_of(context) : Access::kUnknown;
  record.signal.store(signal);
  std::signal(signal, SIG_DFL);
  raise(signal);  // this ends the process
}

std::string_view verb(Access access) {
  constexpr std::string_view kVerbs[] = {"access", "read", "write", "jump"};
  const auto index = static_cast<std::size_t>(access);
  return index < std::size(kVerbs) ? kVerbs[index] : kVerbs[0];
}

// Where an address lies as seen from one tensor; nothing if it is nowhere near.
std::optional<std::string> locate(std::uintptr_t address, Slot slot, std::uintptr_t end,
                                  const Place& place, std::size_t slot_bytes) {
  if (address < end - slot_bytes - kGuardReach || address >= end + kGuardReach) {
    return std::nullopt;
  }
  const std::uintptr_t begin = end - place.room, stop = begin + place.bytes;
  std::ostringstream text;
  if (address < begin) {
    text << begin - address << " bytes before the beginning of " << to_string(slot);
  } else if (address == stop) {
    text << "directly after the end of " << to_string(slot);
  } else if (address > stop) {
    text << address - stop << " bytes after the end of " << to_string(slot);
  } else {
    text << "at byte " << address - begin << " of " << to_string(slot) << ", which is "
         << (slot == Slot::kDst || slot == Slot::kWorkspace ? "not given to this call"
                                                            : "read-only");
  }
  return text.str();
}

}  // namespace

void record_faults(FaultRecord& record) {
  fault_record.store(&record);
  alignas(16) static std::byte stack[64 << 10];
  const stack_t alternative{stack, 0, sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_NODEFER);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigaction(signal, &action, nullptr);
}

std::string describe_fault(int signal, const Control& control, const Place* places,
                           std::size_t slot_bytes) {
  const FaultRecord& record = control.fault;
  if (record.signal.load() != signal || (signal != SIGSEGV && signal != SIGBUS)) return "";
  if (record.code <= 0) return "sent by a call such as kill or raise";
  if (record.code == SI_KERNEL) {
    return "a vector access that is not aligned as its instruction demands, or an impossible "
           "address";
  }
  const std::uintptr_t address = record.address;
  std::ostringstream text;
  text << verb(record.access) << " ";
  for (const Slot slot : kSlots) {
    const auto index = static_cast<std::size_t>(slot);
    if (control.slot_ends[index] < slot_bytes + kGuardReach) continue;
    const auto where = locate(address, slot, control.slot_ends[index], places[index], slot_bytes);
    if (where) return text.str() + *where;
  }
  if (const auto where = locate_argument(address, control.arguments)) return text.str() + *where;
  text << "at address 0x" << std::hex << address << (address < kNearNull ? ", a null pointer" : "");
  return text.str();
}

}  // namespace concord::conformance
