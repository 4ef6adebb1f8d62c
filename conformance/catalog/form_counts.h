// SPDX-License-Identifier: Apache-2.0
// Every count within bounds in CNTK's convolutions and the continuous layer, as count_sweep() has
// it for the discrete convolutions.
#ifndef CONCORD_CONFORMANCE_CATALOG_FORM_COUNTS_H_
#define CONCORD_CONFORMANCE_CATALOG_FORM_COUNTS_H_

#include <vector>

#include "conformance/catalog/collector.h"

namespace concord::conformance {

/// Families cntk_counts (with both gradients), cntk2d_counts and continuous_counts (with the
/// gradients by src and theta): samples or images, channels, maps, extents, kernels, strides and
/// scales, one counted at a time.
std::vector<Source> form_counts();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_FORM_COUNTS_H_
