// SPDX-License-Identifier: Apache-2.0
// Every count within bounds in the operations beside the discrete convolutions, as count_sweep()
// has it for the discrete convolutions.
#ifndef CONCORD_CONFORMANCE_CATALOG_COUNTS_FORM_COUNTS_H_
#define CONCORD_CONFORMANCE_CATALOG_COUNTS_FORM_COUNTS_H_

#include <vector>

#include "conformance/catalog/collector.h"

namespace concord::conformance {

struct FormCount {
  Source source{};
  bool is_common = false;  ///< of smoke
};

/// Families cntk_counts (with both gradients), cntk2d_counts, continuous_counts (with the gradients
/// by src and theta), blocks_counts, atrous_counts, chain_counts and continuous_chain_counts:
/// samples or images, channels, maps, extents, kernels, strides, scales, widths, layers, rates and
/// sizes of blocks, one counted at a time.
std::vector<FormCount> form_counts();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_COUNTS_FORM_COUNTS_H_
