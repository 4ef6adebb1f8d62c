// SPDX-License-Identifier: Apache-2.0
// CNTK's maxTempMemSizeInSamples: the workspace that a backend asks for against that bound.
#ifndef CONCORD_CONFORMANCE_RUN_MEMORY_BOUND_H_
#define CONCORD_CONFORMANCE_RUN_MEMORY_BOUND_H_

#include "conformance/run/steps.h"

namespace concord::conformance {

/// The bytes of as many samples as the problem allows, as they are given or as a matrix-product
/// engine unfolds them, whichever is more, in the widest elements that the arithmetic may sum in.
/// For a gradient, samples are of src and of diff_dst.
/// Nothing where the problem sets no bound below its number of samples.
/// Source  docs/spec.md#cntk-convolution
std::optional<std::size_t> bound_of_workspace(const Problem& problem,
                                              const reference::Resolution& resolution,
                                              const concord_arithmetic& arithmetic);

/// What is wrong with the workspace, if anything is: what the backend asks for beyond its workspace
/// for as many samples as are allowed at once is alone more than that bound. What does not depend
/// on the samples, such as packed weights, is in both and does not count; both are asked for on one
/// thread, since each thread may have such memory of its own. Settles the case if the worker is
/// lost.
Step<std::optional<std::string>> trouble_with_workspace(const PreparedCase& prepared, Host& host,
                                                        const Asked& asked, const Ready& ready,
                                                        const TrialReply& reply);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_MEMORY_BOUND_H_
