// SPDX-License-Identifier: Apache-2.0
// Every class of arithmetic that can be declared, for tests.
#ifndef CONCORD_CONFORMANCE_JUDGE_EVERY_CLASS_H_
#define CONCORD_CONFORMANCE_JUDGE_EVERY_CLASS_H_

#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/grid.h"

namespace concord::conformance {

/// All combinations of all words.
inline std::vector<concord_arithmetic> every_class() {
  constexpr Extent kMostValues = 5;  // more than any word has
  std::vector<concord_arithmetic> classes;
  const auto number = [](Extent value) { return static_cast<std::int32_t>(value); };
  for (const auto& [input, accumulator, rounding, output] :
       Grid<4>({kMostValues, kMostValues, kMostValues, kMostValues})) {
    for (const auto& [flush, algorithm, bias, zeros] : Grid<4>({2, 2, 2, 2})) {
      concord_arithmetic made{};
      made.input_precision = number(input);
      made.accumulator = number(accumulator);
      made.accumulator_rounding = number(rounding);
      made.output_rounding = number(output);
      made.flushes_subnormals = number(flush);
      made.algorithm = number(algorithm);
      made.bias = number(bias);
      made.zero_weights = number(zeros);
      if (!find_unknown(made)) classes.push_back(made);
    }
  }
  return classes;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_JUDGE_EVERY_CLASS_H_
