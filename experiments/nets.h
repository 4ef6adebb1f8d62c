// SPDX-License-Identifier: Apache-2.0
// Table 3, without the fully connected layers, which have no scale.
#ifndef CONCORD_EXPERIMENTS_NETS_H_
#define CONCORD_EXPERIMENTS_NETS_H_

#include "spec/tensor.h"

namespace concord::experiments {

struct NetRow {
  Extent channels = 0, kernel = 0;
  Extent stride = 1;  ///< of the baseline; a CC layer has a scale instead
};
inline constexpr NetRow kNetRows[] = {{32, 3, 1}, {32, 4, 2}, {64, 3, 1}, {64, 3, 1},
                                      {64, 3, 1}, {64, 3, 1}, {64, 3, 1}, {64, 4, 2}};

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_NETS_H_
