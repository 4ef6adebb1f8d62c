// SPDX-License-Identifier: Apache-2.0
// Whether a case fits into this machine.
#ifndef CONCORD_CONFORMANCE_RUN_ROOM_H_
#define CONCORD_CONFORMANCE_RUN_ROOM_H_

#include <cstddef>
#include <optional>
#include <string>

#include "spec/problem.h"

namespace concord::conformance {

/// Why a problem cannot be tried: a tensor that spans more bytes than the memory that host and
/// worker share has room for, or all that judging it takes, more than `memory` bytes. Names the
/// tensor and both sizes. Nothing if it can.
/// Shapes  the problem resolves, to `dst`
std::optional<std::string> lacks_room(const Problem& problem, const Tensor& dst,
                                      std::size_t memory);

/// The memory of this machine in bytes.
std::size_t physical_memory();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_ROOM_H_
