// SPDX-License-Identifier: Apache-2.0
// Which Concord this is. The source file is written while building (cmake/build_id.cmake).
#ifndef CONCORD_CONFORMANCE_COMMAND_BUILD_ID_H_
#define CONCORD_CONFORMANCE_COMMAND_BUILD_ID_H_

namespace concord::conformance {

/// The git commit that was built, with "+" and a hash of the changes if there were any; "unknown"
/// if the sources were not in a git repository of their own.
const char* build_id();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_BUILD_ID_H_
