// SPDX-License-Identifier: Apache-2.0
// The outputs of a huge dst that no element of src reaches: billions, and all of them biases.
#ifndef CONCORD_CONFORMANCE_HUGE_BACKGROUND_H_
#define CONCORD_CONFORMANCE_HUGE_BACKGROUND_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "spec/dtype.h"
#include "spec/tensor.h"

namespace concord::conformance {

/// What a dense dst, as it lies in memory, should hold besides `outputs`.
struct Background {
  Dtype dtype;
  Extent channel_stride;                ///< in dst
  const std::vector<double>& channels;  ///< the value of each
  const std::vector<Extent>& outputs;   ///< places that are something else, ascending
};

struct Misfits {
  std::size_t count = 0;
  Extent first = 0;  ///< the place of the first
  double got = 0, want = 0;
};

/// The elements that are not what they should be, unless `accepts(got, want)`.
/// Shapes  dst is a whole number of images of so many channels
Misfits find_misfits(const Background& background, std::span<const std::byte> dst,
                     const std::function<bool(double got, double want)>& accepts);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_HUGE_BACKGROUND_H_
