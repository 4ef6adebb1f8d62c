// SPDX-License-Identifier: Apache-2.0
// The identity of this build. The source file is written during the build (cmake/build_id.cmake).
#ifndef CONCORD_CONFORMANCE_COMMAND_BUILD_ID_H_
#define CONCORD_CONFORMANCE_COMMAND_BUILD_ID_H_

namespace concord::conformance {

/// The git commit of the build, with "+" and a hash of any uncommitted changes; "unknown"
/// if the sources were not in a git repository of their own.
const char* build_id();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_BUILD_ID_H_
