// SPDX-License-Identifier: Apache-2.0
// Sweeps: cases by the hundred thousand, each made by its number. docs/suites.md#sweeps
#ifndef CONCORD_CONFORMANCE_CATALOG_SWEEPS_H_
#define CONCORD_CONFORMANCE_CATALOG_SWEEPS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "conformance/case/case_list.h"

namespace concord::conformance {

/// Every window of an axis within small bounds, on each axis of one, two and three: families
/// tuples_1d, tuples_2d and tuples_3d.
std::shared_ptr<const CaseSource> window_sweep(std::uint64_t seed);
/// The same windows along a row of f32, with channels for which libraries take their fast kernels:
/// family tuples_fast.
std::shared_ptr<const CaseSource> fast_window_sweep(std::uint64_t seed);
/// Windows that are refused, and of which one step makes a legal one: family tuples_refused.
std::shared_ptr<const CaseSource> refused_window_sweep(std::uint64_t seed);
/// Every number of channels, groups, images, elements of an axis and taps within bounds, in each
/// kind of kernel: families counts_ic, counts_oc, counts_groups and so on.
std::shared_ptr<const CaseSource> count_sweep(std::uint64_t seed);
/// Every window of kernels_model(), the same on two axes, with a third of its channels: family
/// kernels_every.
std::shared_ptr<const CaseSource> kernel_sweep(std::uint64_t seed);

/// True of the ids of the cases that these make.
bool is_swept(std::string_view id);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_SWEEPS_H_
