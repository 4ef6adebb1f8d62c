// SPDX-License-Identifier: Apache-2.0
// Where in the shared file a program behind `exec:` finds the tensors. docs/exec_protocol.md is
// written for its authors.
#ifndef CONCORD_CONFORMANCE_WORKER_EXEC_MESSAGES_H_
#define CONCORD_CONFORMANCE_WORKER_EXEC_MESSAGES_H_

#include <string>

#include "conformance/worker/arena.h"
#include "conformance/worker/messages.h"

namespace concord::conformance {

/// {"path", "inputs", "outputs"}: the file of `arena`, and for every tensor of the problem the
/// offset in it and the number of bytes.
Json memory_object(const Problem& problem, const Arena& arena, const std::string& path, Side side);

/// Replaces the integers in it that a double would round, beyond 2^53 - 1, by strings of their
/// digits.
void write_long_integers_as_strings(Json& message);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_EXEC_MESSAGES_H_
