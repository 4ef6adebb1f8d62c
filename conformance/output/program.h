// SPDX-License-Identifier: Apache-2.0
// Which build of Concord is running, beyond its commit.
#ifndef CONCORD_CONFORMANCE_OUTPUT_PROGRAM_H_
#define CONCORD_CONFORMANCE_OUTPUT_PROGRAM_H_

#include <string>

namespace concord::conformance {

/// The build id that the linker gave this program, in hexadecimal; "unknown" if it gave none.
std::string build_note();

/// The compiler that built it: "gcc 12.2.0".
std::string compiler();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_PROGRAM_H_
