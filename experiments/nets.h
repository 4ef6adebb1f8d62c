// SPDX-License-Identifier: Apache-2.0
// The two nets of Table 3, and the sequences of scales that the CC-net is applied with.
#ifndef CONCORD_EXPERIMENTS_NETS_H_
#define CONCORD_EXPERIMENTS_NETS_H_

#include <vector>

#include "experiments/layer.h"
#include "spec/tensor.h"

namespace concord::experiments {

struct NetRow {
  Extent channels = 0, kernel = 0;
  Extent stride = 1;  ///< of the baseline; a CC layer has a scale instead
};
inline constexpr NetRow kNetRows[] = {{32, 3, 1}, {32, 4, 2}, {64, 3, 1}, {64, 3, 1},
                                      {64, 3, 1}, {64, 3, 1}, {64, 3, 1}, {64, 4, 2}};
/// Outputs of the fully connected layers behind them.
inline constexpr Extent kDenseRows[] = {512, 512, 10};

/// ReLU.
void relu(Values& values);

/// Where each layer of a net samples.
using Path = std::vector<Sampling>;

/// Appendix A.2 for images of side x side: scale 1, then layers - 1 scales whose product is 1/4,
/// other ones for each axis; the sizes by Eq. 4. The defaults are the paper's.
Path random_path(Extent side, Random& random, int layers = 8, double deviation = 0.01);

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_NETS_H_
