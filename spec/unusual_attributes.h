// SPDX-License-Identifier: Apache-2.0
// Attributes that a reader does not know: harmless where they have their defaults.
#ifndef CONCORD_SPEC_UNUSUAL_ATTRIBUTES_H_
#define CONCORD_SPEC_UNUSUAL_ATTRIBUTES_H_

#include <span>
#include <string_view>
#include <vector>

#include "spec/problem.h"

namespace concord {

/// Of the discrete convolutions, those whose meaning a resolved geometry has, or the axes of the
/// tensors.
inline constexpr std::string_view kDiscreteKeys[] = {
    "strides",     "pads_begin",     "pads_end",      "dilations", "auto_pad", "groups",
    "data_format", "weights_format", "filter_format", "rate",      "padding"};

/// The keys of the problem's attributes that are not among `known` and do not have their defaults,
/// in the order of problem lines. What has no default is never usual.
std::vector<std::string_view> unusual_attributes(const Problem& problem,
                                                 std::span<const std::string_view> known);

}  // namespace concord

#endif  // CONCORD_SPEC_UNUSUAL_ATTRIBUTES_H_
