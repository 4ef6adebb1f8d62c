// SPDX-License-Identifier: Apache-2.0
// The reference's values, faster: the same sums in the same order, many outputs at a time.
#ifndef CONCORD_CONFORMANCE_ORACLE_FAST_ORACLE_H_
#define CONCORD_CONFORMANCE_ORACLE_FAST_ORACLE_H_

#include <span>

#include "reference/discrete.h"

namespace concord::conformance {

/// What reference::evaluate_discrete() gives, bit for bit. Each output's terms are added one after
/// another, as there; a vector holds different outputs. Padding is added as zeros, which changes no
/// bit of a sum that began at +0. Products of numbers of f32 are exact in f64, so that they may be
/// fused with the additions; integers whose sums stay within 2^24 are exact even in f32, which
/// holds twice as many in a vector. Whatever this does not cover goes to
/// reference::evaluate_discrete() itself: f64, whose products are not exact; data that f32 does not
/// have or that are not finite, tiny problems, more than three spatial axes, paddings far larger
/// than the input. Shapes, Numeric,
/// Errors  as reference::evaluate_discrete(); `threads` is at least 1. Without `magnitudes` they
/// may be left out: the result then has none. Ends early where interrupted()
reference::Oracle evaluate_fast(const Problem& problem, const reference::Geometry& geometry,
                                std::span<const double> src, std::span<const double> weights,
                                std::span<const double> bias, int threads, bool magnitudes = true);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_ORACLE_FAST_ORACLE_H_
