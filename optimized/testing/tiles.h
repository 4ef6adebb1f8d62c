// SPDX-License-Identifier: Apache-2.0
// The register tiles that this processor runs.
#ifndef CONCORD_OPTIMIZED_TESTING_TILES_H_
#define CONCORD_OPTIMIZED_TESTING_TILES_H_

#include <functional>

#include "optimized/kernels/direct/kernel.h"

namespace concord::optimized::testing {

/// Calls `check` with every tile, of `pixels` and so many vectors, of every family.
void for_each_tile(
    const std::function<void(const TileFamily& family, int vectors, int pixels)>& check);

}  // namespace concord::optimized::testing

#endif  // CONCORD_OPTIMIZED_TESTING_TILES_H_
