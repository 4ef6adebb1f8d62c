// SPDX-License-Identifier: Apache-2.0
// Garbage fails under every class that can be declared, and what is rounded once does not.
#include "conformance/judge/every_class.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "conformance/fill/fill.h"
#include "conformance/fill/xoshiro.h"
#include "conformance/judge/judge_data.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// Of a right value and a random number in [0, 1).
struct Garbage {
  const char* name;
  std::function<double(double want, double random)> of;
};

const std::vector<Garbage>& all_garbage() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static const std::vector<Garbage> all{
      {"zeros", [](double, double) { return 0.0; }},
      {"ones", [](double, double) { return 1.0; }},
      {"NaN", [](double, double) { return std::nan(""); }},
      {"infinity", [](double, double) { return kInfinity; }},
      {"times 1.5", [](double want, double) { return 1.5 * want; }},
      {"times -1", [](double want, double) { return -want; }},
      {"half", [](double want, double) { return want / 2; }},
      {"noise", [](double, double random) { return 2 * random - 1; }},
      {"magnitudes", [](double want, double) { return std::fabs(want); }},
  };
  return all;
}

struct Sample {
  Problem problem;
  reference::Resolution geometry;
  Inputs inputs;
  reference::Oracle oracle;
};

Sample make_sample(Dtype dtype, const concord_arithmetic& arithmetic) {
  Sample s{*parse("Convolution " + std::string(to_string(dtype)) +
                  " src=2x3x4x5 weights=4x3x3x3 bias=4 data_format=NCX weights_format=OIX"),
           {},
           {},
           {}};
  s.geometry = *reference::resolve(s.problem);
  s.inputs = fill_inputs(Fill::kSparse, 3, s.problem, s.geometry, arithmetic);
  s.oracle = reference::evaluate(s.problem, s.geometry,
                                 {s.inputs.src, s.inputs.weights, s.inputs.bias, {}});
  return s;
}

Verdict judge(const Sample& s, const concord_arithmetic& arithmetic,
              const std::vector<double>& got) {
  const OutputShape shape = output_shape(s.geometry.dst.dims, 1);
  const Expectation e{Fill::kSparse, s.problem.dtype, arithmetic, s.geometry,
                      shape,         s.inputs,        s.oracle};
  return judge_data(e, assess_data(e), got).verdict;
}

std::vector<double> stored(const Sample& s, const concord_arithmetic& arithmetic,
                           const Garbage& garbage) {
  Xoshiro random(1);
  std::vector<double> got;
  for (const double want : s.oracle.value) {
    const double value = garbage.of(want, random.unit());
    got.push_back(round_to(s.problem.dtype, value, output_rounding(arithmetic)));
  }
  return got;
}

TEST(EveryClass, IsEachCombinationOfWordsOnce) {
  EXPECT_EQ(every_class().size(), 4U * 4 * 3 * 3 * 2 * 2 * 2 * 2);
}

TEST(EveryClass, RejectsGarbageAndPassesTheRightResult) {
  const Garbage right{"right", [](double want, double) { return want; }};
  for (const Dtype dtype : kDtypes) {
    for (const concord_arithmetic& arithmetic : every_class()) {
      const Sample s = make_sample(dtype, arithmetic);
      const std::string label = std::string(to_string(dtype)) + " " + print(arithmetic) + ": ";
      ASSERT_EQ(judge(s, arithmetic, stored(s, arithmetic, right)), Verdict::kPass) << label;
      for (const Garbage& garbage : all_garbage()) {
        ASSERT_EQ(judge(s, arithmetic, stored(s, arithmetic, garbage)), Verdict::kFail)
            << label << garbage.name;
      }
    }
  }
}

// Of 48 results one is a step of the dtype too large. A bilinear class and a coarser accumulator
// allow more; a faithful one may have rounded it that way, and so may a store toward zero of a sum
// that was rounded up.
TEST(EveryClass, RejectsAStepInASingleResult) {
  const Garbage right{"right", [](double want, double) { return want; }};
  for (const Dtype dtype : kDtypes) {
    for (const concord_arithmetic& arithmetic : every_class()) {
      const Accumulator accumulator = accumulator_of(dtype, arithmetic);
      if (is_bilinear(arithmetic) || arithmetic.output_rounding == CONCORD_ROUND_ZERO ||
          accumulator.faithful || accumulator.bits < format_of(dtype).significand_bits) {
        continue;
      }
      const Sample s = make_sample(dtype, arithmetic);
      std::vector<double> got = stored(s, arithmetic, right);
      const auto one = std::find_if(got.begin(), got.end(), [](double v) { return v != 0; });
      const int exponent = std::ilogb(*one) + 1 - format_of(dtype).significand_bits;
      *one += std::copysign(std::ldexp(1.0, exponent), *one);
      ASSERT_EQ(judge(s, arithmetic, got), Verdict::kFail)
          << to_string(dtype) << " " << print(arithmetic);
    }
  }
}

}  // namespace
}  // namespace concord::conformance
