// SPDX-License-Identifier: Apache-2.0
// Whether a call left the floating-point environment as it found it.
#ifndef CONCORD_CONFORMANCE_WORKER_FLOAT_ENVIRONMENT_H_
#define CONCORD_CONFORMANCE_WORKER_FLOAT_ENVIRONMENT_H_

#include <string>

namespace concord::conformance {

/// How this thread computes differently from a new thread: "results are rounded
/// toward zero, subnormal results become zero"; empty if it does not. Found by computing, so it
/// holds for whichever registers computing depends on.
std::string changed_float_environment();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_FLOAT_ENVIRONMENT_H_
