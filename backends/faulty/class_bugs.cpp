// SPDX-License-Identifier: Apache-2.0
// Wrong values behind the weakest class of arithmetic that can be declared, in every operation.
#include <algorithm>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

void declare_weakest(const Problem&, Answer& answer) {
  answer.arithmetic.input_precision = CONCORD_INPUT_BF16;
  answer.arithmetic.accumulator = CONCORD_ACCUMULATE_BF16;
  answer.arithmetic.accumulator_rounding = CONCORD_ROUND_ZERO;
  answer.arithmetic.output_rounding = CONCORD_ROUND_ZERO;
  answer.arithmetic.flushes_subnormals = 1;
  answer.arithmetic.algorithm = CONCORD_BILINEAR;
}

template <class Value>
void zero(std::vector<Value>& values) {
  std::fill(values.begin(), values.end(), Value{0});
}

template <class Value>
void scale(std::vector<Value>& values) {
  for (Value& value : values) value *= static_cast<Value>(1.5);
}

template <class Value>
void negate(std::vector<Value>& values) {
  for (Value& value : values) value = -value;
}

template <class Value>
void shift(std::vector<Value>& values) {
  if (!values.empty()) std::rotate(values.begin(), values.end() - 1, values.end());
}

// `spoil_discrete` and `spoil_form` change the values of the two kinds of operations.
constexpr Mutation weakest(void (*spoil_discrete)(Run&),
                           void (*spoil_form)(const Problem&, std::vector<double>&)) {
  return {.answer = declare_weakest,
          .outputs = spoil_discrete,
          .forms = {.answer = declare_weakest, .results = spoil_form}};
}

const Bug kBugs[] = {
    {"weakest_class_zeros", "weak classes", "Declares the weakest class, and gives zeros.",
     "a common slip",
     weakest([](Run& run) { zero(run.dst); },
             [](const Problem&, std::vector<double>& values) { zero(values); })},
    {"weakest_class_scaled", "weak classes",
     "Declares the weakest class, and gives 1.5 times what it should.", "a common slip",
     weakest([](Run& run) { scale(run.dst); },
             [](const Problem&, std::vector<double>& values) { scale(values); })},
    {"weakest_class_negated", "weak classes",
     "Declares the weakest class, and gives the other sign.", "a common slip",
     weakest([](Run& run) { negate(run.dst); },
             [](const Problem&, std::vector<double>& values) { negate(values); })},
    {"weakest_class_shifted", "weak classes",
     "Declares the weakest class, and writes every element one place late.", "a common slip",
     weakest([](Run& run) { shift(run.dst); },
             [](const Problem&, std::vector<double>& values) { shift(values); })},
};

}  // namespace

std::span<const Bug> class_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
