// SPDX-License-Identifier: Apache-2.0
// A shrunk failure in words.
#ifndef CONCORD_CONFORMANCE_OUTPUT_SHRUNK_TEXT_H_
#define CONCORD_CONFORMANCE_OUTPUT_SHRUNK_TEXT_H_

#include <string>

#include "conformance/host.h"
#include "conformance/output/results.h"
#include "conformance/shrink/shrunk.h"

namespace concord::conformance {

/// The data of the smallest case: "integers, seed 7", or every element.
std::string data_text(const Shrunk& shrunk);

/// The command that shows the smallest case again.
std::string replay_command(const Shrunk& shrunk, const BackendSpec& backend,
                           const RunDescription& description);

/// A few indented lines: the smallest problem, its data, the wrong element tap by tap, the program.
std::string describe_shrunk(const Shrunk& shrunk, const BackendSpec& backend,
                            const RunDescription& description);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_SHRUNK_TEXT_H_
