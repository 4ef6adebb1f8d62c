// SPDX-License-Identifier: Apache-2.0
// A failure as a stand-alone C program, for users who have the plugin but not Concord.
#ifndef CONCORD_CONFORMANCE_SHRINK_PROGRAM_H_
#define CONCORD_CONFORMANCE_SHRINK_PROGRAM_H_

#include <string>

#include "conformance/shrink/trial.h"

namespace concord::conformance {

/// C99 that needs concord_plugin.h and POSIX: loads the plugin, asks, prepares and executes as
/// Concord does, with the same data, guard pages and garbage, and judges what comes out. Unlike in
/// the worker, the pages of one execution stay readable in the next: a plugin that keeps a pointer
/// to an input finds there what it found before.
/// Its exit code: 0 the plugin is right, 1 it is wrong, 2 it could not be tried.
/// Errors  kSyntax: the backend is not a plugin, or the case one of CNTK's that was lowered;
///         kSize: the data are too large to write out;
///         kRank: the plugin ABI has no room for the problem
Result<std::string> program_of(const Shrunk& shrunk, const TrialOptions& options);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_SHRINK_PROGRAM_H_
