// SPDX-License-Identifier: Apache-2.0
// How this process keeps the memory of its cases.
#ifndef CONCORD_CONFORMANCE_COMMAND_FREED_MEMORY_H_
#define CONCORD_CONFORMANCE_COMMAND_FREED_MEMORY_H_

namespace concord::conformance {

/// Lets what a case frees be kept for the next, in large pages where the system has them. To be
/// called before there is a second thread.
void keep_freed_memory();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_FREED_MEMORY_H_
