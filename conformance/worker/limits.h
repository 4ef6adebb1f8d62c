// SPDX-License-Identifier: Apache-2.0
// The limits of a backend's process, whatever its sandbox is.
#ifndef CONCORD_CONFORMANCE_WORKER_LIMITS_H_
#define CONCORD_CONFORMANCE_WORKER_LIMITS_H_

#include <sys/resource.h>

#include <cstddef>

namespace concord::conformance {

/// Descriptors as the host was given them: it has raised its own limit.
void limit_descriptors(rlim_t soft);
/// Where the machine has no memory left, the kernel ends this process before the host.
void be_ended_first();
/// Memory, but for what is shared with the host; and no core files.
void limit_memory(std::size_t bytes);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_LIMITS_H_
