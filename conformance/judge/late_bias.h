// SPDX-License-Identifier: Apache-2.0
// The bias of a class that adds it to a sum that was rounded to the element type already.
// Source: docs/numerics.md#bias-after-the-store
#ifndef CONCORD_CONFORMANCE_JUDGE_LATE_BIAS_H_
#define CONCORD_CONFORMANCE_JUDGE_LATE_BIAS_H_

#include <cstddef>
#include <span>

#include "plugin/concord_plugin.h"
#include "spec/dtype.h"

namespace concord::conformance {

/// The bias of each output element.
struct ChannelBias {
  std::span<const double> values{};  ///< one a channel, or for all; empty for none
  std::size_t plane = 1;             ///< elements of one channel of one image

  double of(std::size_t element) const {
    return values.empty() ? 0 : values[element / plane % values.size()];
  }
};

/// True if the class rounds a sum to the element type before it adds the bias. Not where the
/// element type has every number of an accumulator to nearest: then the bias is but the last term.
bool rounds_before_bias(Dtype dtype, const concord_arithmetic& arithmetic);

/// The ends of an interval.
struct Ends {
  double low, high;
};

/// What R(s + bias) can be for `sum.low` <= s <= `sum.high`, where the addition may be rounded to
/// f32 first. A number below `flushed` may count as zero at every step.
Ends add_late(Dtype dtype, const concord_arithmetic& arithmetic, Ends sum, double bias,
              double flushed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_LATE_BIAS_H_
