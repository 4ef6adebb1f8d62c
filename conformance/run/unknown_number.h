// SPDX-License-Identifier: Apache-2.0
// The question whether a plugin declines what it does not know.
#ifndef CONCORD_CONFORMANCE_RUN_UNKNOWN_NUMBER_H_
#define CONCORD_CONFORMANCE_RUN_UNKNOWN_NUMBER_H_

#include <optional>

#include "conformance/run/steps.h"

namespace concord::conformance {

/// What is replaced in the problem of `prepared`, by its seed: in cases of integers one of its
/// enumerators, but for the sweeps over windows, where so many more questions would take a tenth of
/// the time. A smaller problem with the same seed has the same one, if it has it at all.
std::optional<UnknownNumber> unknown_number_of(const PreparedCase& prepared);

/// Asks a plugin that has computed the problem itself, not as another one; the result, if it does
/// not decline then.
Step<std::optional<CaseResult>> ask_unknown(const PreparedCase& prepared, Host& host,
                                            const Asked& asked);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_UNKNOWN_NUMBER_H_
