// SPDX-License-Identifier: Apache-2.0
// The record of the signal that kills a worker, and its description.
#ifndef CONCORD_CONFORMANCE_WORKER_FAULT_H_
#define CONCORD_CONFORMANCE_WORKER_FAULT_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace concord::conformance {

enum class Access : std::int32_t { kUnknown, kRead, kWrite, kJump };

/// Written by a signal handler. All zero: no signal came.
struct FaultRecord {
  std::atomic<std::int32_t> signal;
  std::int32_t code;  ///< si_code
  std::uintptr_t address;
  Access access;
};

struct Control;
struct Place;

/// Makes SIGSEGV, SIGBUS, SIGILL and SIGFPE write `record` before they kill the process, even if
/// the stack of the calling thread is used up. In the worker; `record` must live as long as the
/// process.
void record_faults(FaultRecord& record);

/// What the record says of a bad access, such as "read 4 bytes after the end of src"; empty if the
/// record is not about `signal`. `places` says where the tensors lay, one a slot of so many bytes.
std::string describe_fault(int signal, const Control& control, const Place* places,
                           std::size_t slot_bytes);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_FAULT_H_
