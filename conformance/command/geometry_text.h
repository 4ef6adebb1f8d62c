// SPDX-License-Identifier: Apache-2.0
// The resolved geometry of a problem as text: each formula with its numbers filled in.
#ifndef CONCORD_CONFORMANCE_COMMAND_GEOMETRY_TEXT_H_
#define CONCORD_CONFORMANCE_COMMAND_GEOMETRY_TEXT_H_

#include <string>

#include "spec/problem.h"

namespace concord::conformance {

/// The geometry under the problem's reading, or why it is refused. Lines end with a newline; the
/// grid of a continuous layer is cut after a few points.
std::string describe_geometry(const Problem& problem);

/// Why a backend may refuse the problem although it is valid: a line, or nothing.
std::string describe_latitude(const Problem& problem);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_GEOMETRY_TEXT_H_
