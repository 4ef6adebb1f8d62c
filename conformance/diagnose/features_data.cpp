// SPDX-License-Identifier: Apache-2.0
// What is known of a case's data, and of the values that are wanted.
#include <cmath>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/diagnose/features.h"
#include "conformance/run/prepared_case.h"
#include "conformance/run/room.h"

namespace concord::conformance {
namespace {

/// Which kinds of values there are among some.
struct Kinds {
  bool nan = false, infinity = false, subnormal = false, zero = false;

  Kinds(const std::vector<double>& values, double smallest) {
    for (const double value : values) {
      nan |= std::isnan(value);
      infinity |= std::isinf(value);
      zero |= value == 0;
      subnormal |= value != 0 && std::fabs(value) < smallest;
    }
  }
};

}  // namespace

double evaluation_cost(const Case& source) {
  const auto geometry = reference::resolve(source.problem);
  if (!geometry) return 0;
  return static_cast<double>(element_count(geometry->dst.dims).value_or(0)) *
         static_cast<double>(geometry->products);
}

void add_data_features(const Case& source, std::string_view arithmetic, int threads,
                       Features& features) {
  PreparedCase prepared(source, 1, true);
  if (!prepared.geometry() || is_huge(source.problem)) return;
  features.add(prepared.hides_weights(), "weights are not shown to prepare");
  features.add(prepared.sequence() == Sequence::kOtherInputs, "inputs change between executions");
  features.add(prepared.sequence() == Sequence::kSecondHandle, "the problem is prepared twice");
  features.add(prepared.executions() > 2, "it is executed more than twice");
  features.add(prepared.on_another_thread(), "it is executed from another thread");
  features.add(prepared.many_rounds(), "it is prepared, executed and released over and over");
  if (const int other = prepared.other_threads(threads, false)) {
    features.add_number("threads of one more execution", other);
  }
  const auto parsed = parse_arithmetic(arithmetic.empty() ? "strict" : arithmetic);
  if (!parsed) return;
  const double smallest = format_of(source.problem.dtype).normal();
  const PreparedCase::Data& data = prepared.data(*parsed);
  const Kinds wanted(data.oracle.value, smallest);
  features.add(wanted.nan, "a NaN is expected");
  features.add(wanted.infinity, "an infinity is expected");
  features.add(wanted.subnormal, "a subnormal is expected");
  features.add(wanted.zero, "a zero is expected");
  for (const Input input : kInputs) {
    const Kinds given(data.inputs.of(input), smallest);
    features.add(given.nan, "a NaN is among the inputs");
    features.add(given.infinity, "an infinity is among the inputs");
    features.add(given.subnormal, "a subnormal is among the inputs");
  }
}

}  // namespace concord::conformance
