// SPDX-License-Identifier: Apache-2.0
// The verdict on the values of one case: all tiers that apply to its fill, and whether the case
// could have rejected a wrong answer at all.
#ifndef CONCORD_CONFORMANCE_JUDGE_JUDGE_DATA_H_
#define CONCORD_CONFORMANCE_JUDGE_JUDGE_DATA_H_

#include <optional>
#include <span>
#include <string>

#include "conformance/case/verdict.h"
#include "conformance/fill/fill.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/judge_lone.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/judge/trust.h"
#include "reference/reference.h"

namespace concord::conformance {

/// What values are judged against.
struct Expectation {
  Fill fill;
  Dtype dtype;
  const concord_arithmetic& arithmetic;
  const reference::Resolution& geometry;
  const OutputShape& shape;
  const Inputs& inputs;
  const reference::Oracle& oracle;
  /// Of a golden case: `oracle` has the recorded dst for its values.
  const Recorded* recorded = nullptr;
  /// For what the oracle has to be asked again: other data than `inputs`. Null: it is not asked.
  const Problem* problem = nullptr;
};

/// The bias of each element of dst; none where the operation adds none.
ChannelBias bias_of(const Expectation& expected);

/// The rule of Fill::kSparse, where its data are sums of products.
std::optional<LoneProducts> lone_products(const Expectation& expected);

/// The bound of the interval tier.
ErrorBound error_bound(const Expectation& expected);

/// The magnitudes that the bounds of elements are relative to, `oracle`'s or, of a bilinear class,
/// what the tiles hold where that is more: before the largest of them stands for all.
std::vector<double> error_magnitudes(const Expectation& expected, const reference::Oracle& oracle);

/// What the statistical tier is told of the tensor.
ErrorModel error_model(const Expectation& expected);

/// Which planted outputs the tiers would reject: the exact one, that of special values, or the
/// interval tier, or, where its bounds are too wide and signs are random, the statistical one.
Trust assess_data(const Expectation& expected);

struct DataVerdict {
  Verdict verdict = Verdict::kPass;
  Tier tier = Tier::kExact;  ///< that decided
  std::string reason{};
  std::optional<TensorErrors> errors{};
  Finding finding{};  ///< of the exact, the interval or the special tier
};

/// Judges what a backend computed. `trust` is what assess_data() says.
/// Shapes  got as the oracle has its values
DataVerdict judge_data(const Expectation& expected, const Trust& trust,
                       std::span<const double> got);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_JUDGE_DATA_H_
