// SPDX-License-Identifier: Apache-2.0
// Predicts how long judging a case takes.
#ifndef CONCORD_CONFORMANCE_RUN_WORK_H_
#define CONCORD_CONFORMANCE_RUN_WORK_H_

#include <optional>
#include <string>

#include "reference/reference.h"

namespace concord::conformance {

/// About two minutes of one core with vectorised sums.
inline constexpr double kDefaultMaxWork = 1e12;

/// The work of judging a case, in multiply-adds of the oracle, more or less: those of the sums, and
/// what filling the inputs and judging the output come to. Operations that only the literal
/// reference computes count kLiteralWork for each term.
/// Shapes  `resolution` is what reference::resolve() says of `problem`
double predicted_work(const Problem& problem, const reference::Resolution& resolution);

/// What a case costs in the same unit, however small it is: a few milliseconds.
inline constexpr double kWorkOfCase = 1e7;
/// kWorkOfCase and, unless the problem must be refused, its predicted_work().
double predicted_cost(const Problem& problem);

/// The cost of a term of the literal reference, in multiply-adds of the vectorised oracle.
inline constexpr double kLiteralWork = 32;

/// Why a case is not judged whose work is predicted to be more than `most`, with both numbers;
/// nothing if it is not more.
std::optional<std::string> exceeds_work(const Problem& problem,
                                        const reference::Resolution& resolution, double most);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_WORK_H_
