// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/golden_check.h"

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/arithmetic/same_value.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge_recorded.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// What was printed may be off by the producer's error, and by half a unit of its last digit.
Finding judge_printed(Dtype dtype, const Recorded& r, Extent products,
                      const reference::Oracle& oracle) {
  const auto own = parse_arithmetic("accumulator=f64").value();
  ErrorBound bound = producer_bound(dtype, r, products);
  const ErrorBound reference = error_bound(dtype, own, products);
  bound.relative += reference.relative;
  bound.absolute += reference.absolute;
  auto S = oracle.magnitude;
  if (!r.arithmetic.empty()) {
    const auto producer = parse_arithmetic(r.arithmetic).value();
    if (is_bilinear(producer)) S = normwise(dtype, producer, S, {});
  }
  return Acceptance(dtype, own, bound)
      .judge(r.dst, oracle.value, S, {}, oracle.low, printed_radii(dtype, r));
}

}  // namespace

RecordedCheck check_recorded(const Case& golden) {
  const Recorded& r = *golden.recorded;
  const Dtype dtype = golden.problem.dtype;
  const auto resolution = reference::resolve(golden.problem).value();
  const auto oracle = evaluate(golden.problem, resolution, {r.src, r.weights, r.bias, {}});
  RecordedCheck check;
  const auto judge = [&](const std::string& arithmetic) {
    return judge_interval(dtype, parse_arithmetic(arithmetic).value(), resolution.products, r.dst,
                          oracle.value, oracle.magnitude, {}, oracle.low);
  };
  // The reference sums in f64: within its own error, halfway between two numbers of the dtype, it
  // does not know which is the nearer one. Of sums of f64 it does, but for one in 2^50 or so.
  check.finding =
      dtype == Dtype::kF64 ? judge_exact(dtype, {}, r.dst, oracle.value) : judge("accumulator=f64");
  check.is_correctly_rounded = check.finding.passed();
  if (r.exactness == vectors::Exactness::kArithmetic) check.finding = judge(r.arithmetic);
  if (r.exactness == vectors::Exactness::kPrinted) {
    check.finding = judge_printed(dtype, r, resolution.products, oracle);
  }
  if (r.exactness != vectors::Exactness::kExact) return check;
  for (std::size_t i = 0; i < r.dst.size(); ++i) {
    const double want = oracle.value[i];
    if (is_same_value(r.dst[i], want)) continue;
    ++check.finding.wrong;
    check.finding.worst = WrongElement{i, r.dst[i], want, 0, want, want, true, {}};
  }
  return check;
}

}  // namespace concord::conformance
