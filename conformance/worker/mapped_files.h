// SPDX-License-Identifier: Apache-2.0
// Which files' code a backend's processes have in their memory, as the kernel tells it: the backend
// has no say in it.
#ifndef CONCORD_CONFORMANCE_WORKER_MAPPED_FILES_H_
#define CONCORD_CONFORMANCE_WORKER_MAPPED_FILES_H_

#include <set>
#include <string>

namespace concord::conformance {

/// The paths of the files that this process and those that descend from it have mapped as code.
/// Files that have been deleted or replaced since are left out.
std::set<std::string> mapped_files(int process);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_MAPPED_FILES_H_
