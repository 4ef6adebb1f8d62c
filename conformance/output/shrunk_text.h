// SPDX-License-Identifier: Apache-2.0
// A shrunk failure in words.
#ifndef CONCORD_CONFORMANCE_OUTPUT_SHRUNK_TEXT_H_
#define CONCORD_CONFORMANCE_OUTPUT_SHRUNK_TEXT_H_

#include <string>
#include <vector>

#include "conformance/output/results.h"
#include "conformance/record/shrunk.h"
#include "conformance/worker/host.h"

namespace concord::conformance {

/// The data of the smallest case: "integers, seed 7", or every element.
std::string data_text(const Shrunk& shrunk);

/// A case as `concord replay --after` takes it: "integers 7 Convolution f32 ...", or its data in
/// the place of fill and seed.
std::string after_text(const Case& source);

/// What the same process must run before the smallest case, for it to fail.
std::vector<std::string> after_texts(const Shrunk& shrunk);

/// The command that reproduces the smallest case.
std::string replay_command(const Shrunk& shrunk, const BackendSpec& backend,
                           const RunDescription& description);

/// A few indented lines: the smallest problem, its data, the wrong element tap by tap, the program.
std::string describe_shrunk(const Shrunk& shrunk, const BackendSpec& backend,
                            const RunDescription& description);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_SHRUNK_TEXT_H_
