// SPDX-License-Identifier: Apache-2.0
// Any aarch64 processor: the numbers of Zen 5, not fitted.
#include "optimized/targets/target.h"

namespace concord::optimized {

constinit const Target kAarch64 = {
    .name = "aarch64",
    .first = {.bytes = 48 << 10, .sets = 64, .ways = 12},
    .second = {.bytes = 1024 << 10, .sets = 1024, .ways = 16},
    .tiles = {.pixel_byte = 0.005,
              .kept_byte = 0.001,
              .far_byte = 0.005,
              .loop = 0.3,
              .reload = 0.1,
              .crowded_reload = 1,
              .tile = 20,
              .store = 1,
              .store_of_part = 5,
              .turning = 0.97,
              .pixels_of_a_set = 9},
    .blocks = blocks_of(48 << 10, 1024 << 10),
};

}  // namespace concord::optimized
