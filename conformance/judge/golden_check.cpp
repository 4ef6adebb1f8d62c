// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/golden_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/arithmetic/same_value.h"
#include "conformance/judge/judge_recorded.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// Elements further from the exact value than `allowed(i)` says.
template <class Allowed>
void count_wrong(const Recorded& r, const std::vector<double>& exact, const Allowed& allowed,
                 Finding& finding) {
  for (std::size_t i = 0; i < r.dst.size(); ++i) {
    const double error = std::abs(r.dst[i] - exact[i]), most = allowed(i);
    if (most > 0) finding.margin = std::max(finding.margin, error / most);
    if (is_same_value(r.dst[i], exact[i]) || error <= most) continue;
    ++finding.wrong;
    finding.worst =
        WrongElement{i, r.dst[i], exact[i], most, exact[i] - most, exact[i] + most, most == 0, {}};
  }
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
  if (r.exactness == vectors::Exactness::kExact) {
    count_wrong(
        r, oracle.value, [](std::size_t) { return 0.0; }, check.finding);
  } else if (r.exactness == vectors::Exactness::kPrinted) {
    const double u = format_of(dtype).unit_roundoff();
    check.finding = {};
    count_wrong(
        r, oracle.value,
        [&](std::size_t i) {
          return half_unit(r.dst[i], r.digits, u) + u * std::abs(r.dst[i]) +
                 format_of(dtype).smallest() + std::ldexp(oracle.magnitude[i], -40);
        },
        check.finding);
  }
  return check;
}

}  // namespace concord::conformance
