// SPDX-License-Identifier: Apache-2.0
// Bugs of precision and rounding: all declare f32 accumulation and one rounding to
// nearest, and but for the last a conventional algorithm.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backends/faulty/catalogue.h"
#include "backends/faulty/winograd.h"
#include "spec/rounding.h"

namespace concord::backends::faulty {
namespace {

float to_nearest(Dtype dtype, double value) { return static_cast<float>(round_to(dtype, value)); }

// Applies `change` to every value of f32 inputs.
template <class Change>
void demote_inputs(Run& run, Change change) {
  if (run.problem.dtype != Dtype::kF32) return;
  std::transform(run.src.begin(), run.src.end(), run.src.begin(), change);
  std::transform(run.weights.begin(), run.weights.end(), run.weights.begin(), change);
}

float two_bfloat16(float value) {
  const float high = to_nearest(Dtype::kBF16, value);
  if (!std::isfinite(high)) return value;
  return high + to_nearest(Dtype::kBF16, value - high);
}

float flushed(Dtype dtype, float value) {
  const double least_normal = std::ldexp(1.0, format_of(dtype).min_exponent);
  return std::fabs(static_cast<double>(value)) < least_normal ? std::copysign(0.0F, value) : value;
}

float largest_of(Dtype dtype) { return static_cast<float>(format_of(dtype).largest()); }

double toward_zero(Dtype dtype, double value) { return round_to(dtype, value, Rounding::kZero); }

// Which ones depends on the bits of the sum, so that every execution has the same.
float one_in_a_hundred(Dtype, float sum, float product) {
  constexpr std::uint32_t kMix = 2654435761U, kShift = 16, kOneOf = 100;  // Knuth's multiplier
  const double exact = static_cast<double>(sum) + static_cast<double>(product);
  const float near = sum + product;
  const std::uint32_t mixed = std::bit_cast<std::uint32_t>(near) * kMix >> kShift;
  if (near == exact || std::isnan(exact) || mixed % kOneOf != 0) return near;
  return std::nextafter(near, exact > near ? HUGE_VALF : -HUGE_VALF);
}

// The neighbour of `value` of the dtype that is further from zero. The step is 5/8 to 5/4 of the
// distance, so that it rounds to one whole distance.
double next_away(Dtype dtype, double value) {
  return round_to(dtype, value * (1 + 1.25 * format_of(dtype).unit_roundoff()), Rounding::kNearest);
}

// To nearest, but ties go away from zero.
float ties_away(Dtype dtype, float value) {
  return static_cast<float>(round_to(dtype, value, Rounding::kNearestAway));
}

// The value of the dtype below `value`, or `value` itself.
float rounded_down(Dtype dtype, float value) {
  const double exact = static_cast<double>(value);
  const double near = toward_zero(dtype, exact);
  return static_cast<float>(near <= exact ? near : next_away(dtype, near));
}

const Bug kBugs[] = {
    {"accumulates_in_f16",
     "accumulator",
     "Sums f16 products in f16.",
     "uxlfoundation/oneDNN PR#5041",
     {.add =
          [](Dtype dtype, float sum, float product) {
            return dtype == Dtype::kF16 ? to_nearest(dtype, sum + product) : sum + product;
          }}},
    {"accumulates_in_bf16",
     "accumulator",
     "Sums bf16 products in bf16.",
     "a common slip",
     {.add =
          [](Dtype dtype, float sum, float product) {
            return dtype == Dtype::kBF16 ? to_nearest(dtype, sum + product) : sum + product;
          }}},
    {"sums_f32_in_f16",
     "accumulator",
     "Sums f32 products in f16.",
     "a common slip",
     {.add =
          [](Dtype dtype, float sum, float product) {
            return dtype == Dtype::kF32 ? to_nearest(Dtype::kF16, sum + product) : sum + product;
          }}},
    {"sums_toward_zero",
     "accumulator",
     "Rounds every partial sum toward zero.",
     "the matrix units of some accelerators",
     {.add =
          [](Dtype, float sum, float product) {
            const double exact = static_cast<double>(sum) + static_cast<double>(product);
            return static_cast<float>(toward_zero(Dtype::kF32, exact));
          }}},
    {"one_sum_in_a_hundred",
     "accumulator",
     "Rounds one partial sum in a hundred, of those that round, to the neighbour on the other "
     "side.",
     "a common slip",
     {.add = one_in_a_hundred}},
    {"rounds_products_to_f16",
     "accumulator",
     "Rounds every f16 product to f16 before it is summed.",
     "a common slip",
     {.add =
          [](Dtype dtype, float sum, float product) {
            return sum + (dtype == Dtype::kF16 ? to_nearest(dtype, product) : product);
          }}},
    {"keeps_last_bf16_product",
     "accumulator",
     "Keeps the last bf16 product instead of the sum.",
     "pytorch/pytorch#163347",
     {.add = [](Dtype dtype, float sum,
                float product) { return dtype == Dtype::kBF16 ? product : sum + product; }}},
    {"f32_through_tf32",
     "inputs",
     "Rounds f32 inputs to 11 significant bits without saying so.",
     "the default of several accelerator libraries",
     {.inputs =
          [](Run& run) {
            demote_inputs(run, [](float value) {
              return static_cast<float>(round_to_bits(11, value, Rounding::kNearest));
            });
          }}},
    {"f32_through_bf16",
     "inputs",
     "Rounds f32 inputs to bfloat16 without saying so.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            demote_inputs(run, [](float value) { return to_nearest(Dtype::kBF16, value); });
          }}},
    {"f32_through_f16",
     "inputs",
     "Rounds f32 inputs to f16 without saying so.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            demote_inputs(run, [](float value) { return to_nearest(Dtype::kF16, value); });
          }}},
    {"f32_as_two_bf16",
     "inputs",
     "Splits f32 inputs into two bfloat16 without saying so.",
     "a common slip",
     {.inputs = [](Run& run) { demote_inputs(run, two_bfloat16); }}},
    {"store_truncates",
     "store",
     "Cuts off the low bits of a bf16 or f16 result.",
     "tenstorrent/tt-metal PR#27171",
     {.store = [](Dtype dtype,
                  float value) { return static_cast<float>(toward_zero(dtype, value)); },
      .forms = {.results =
                    [](const Problem& problem, std::vector<double>& values) {
                      if (problem.dtype == Dtype::kF32) return;
                      for (double& value : values) value = toward_zero(problem.dtype, value);
                    }}}},
    {"store_rounds_down",
     "store",
     "Rounds a bf16 or f16 result toward minus infinity.",
     "stillwater-sc/universal#1133",
     {.store = rounded_down}},
    {"store_ties_away",
     "store",
     "Rounds a bf16 or f16 result halfway between two away from zero.",
     "Arm NN's reference",
     {.store = ties_away,
      .forms = {.results =
                    [](const Problem& problem, std::vector<double>& values) {
                      if (problem.dtype == Dtype::kF32) return;
                      for (double& value : values) {
                        value = round_to(problem.dtype, value, Rounding::kNearestAway);
                      }
                    }}}},
    {"bf16_through_f16",
     "store",
     "Stores a bf16 result by way of f16.",
     "a common slip",
     {.store =
          [](Dtype dtype, float value) {
            return dtype == Dtype::kBF16 ? to_nearest(Dtype::kF16, value) : value;
          }}},
    {"bias_after_rounding",
     "store",
     "Rounds to the dtype before the bias, and after it again.",
     "a common slip",
     {.with_bias = [](const Run& run, const At&, float sum,
                      float bias) { return to_nearest(run.problem.dtype, sum) + bias; }}},
    {"bias_added_toward_zero",
     "accumulator",
     "Rounds the last addition of each sum, that of the bias, toward zero.",
     "a common slip",
     {.with_bias =
          [](const Run&, const At&, float sum, float bias) {
            const double exact = static_cast<double>(sum) + static_cast<double>(bias);
            return static_cast<float>(toward_zero(Dtype::kF32, exact));
          }}},
    {"bilinear_bias_in_bf16",
     "inputs",
     "Declares a bilinear algorithm, under which intervals are wide, and rounds the bias to "
     "bfloat16.",
     "a common slip",
     {.answer = [](const Problem&,
                   Answer& answer) { answer.arithmetic.algorithm = CONCORD_BILINEAR; },
      .with_bias = [](const Run&, const At&, float sum,
                      float bias) { return sum + to_nearest(Dtype::kBF16, bias); }}},
    {"overflow_saturates",
     "store",
     "Gives the largest finite number instead of infinity.",
     "a common slip",
     {.store =
          [](Dtype dtype, float value) {
            if (std::isnan(value)) return value;
            return std::clamp(value, -largest_of(dtype), largest_of(dtype));
          }}},
    {"flushes_results",
     "subnormals",
     "Stores a subnormal result as zero.",
     "opencv/opencv PR#17295",
     {.store = flushed}},
    {"flushes_inputs",
     "subnormals",
     "Reads a subnormal input as zero.",
     "pytorch/pytorch#19651",
     {.inputs =
          [](Run& run) {
            for (float& value : run.src) value = flushed(run.problem.dtype, value);
            for (float& value : run.weights) value = flushed(run.problem.dtype, value);
          }}},
    {"flushes_weights",
     "subnormals",
     "Reads a subnormal weight as zero.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            for (float& value : run.weights) value = flushed(run.problem.dtype, value);
          }}},
    {"overflow_becomes_nan",
     "store",
     "Stores NaN where a result overflows.",
     "a common slip",
     {.store =
          [](Dtype dtype, float value) {
            const bool overflows = std::isinf(to_nearest(dtype, static_cast<double>(value)));
            return overflows ? std::numeric_limits<float>::quiet_NaN() : value;
          }}},
    {"winograd_undeclared",
     "algorithm",
     "Uses Winograd's F(4,3) for kernels three wide, but declares a conventional algorithm.",
     "ROCm/rocm-libraries#5286",
     {.outputs = [](Run& run) { fill_by_winograd(run, 8); }}},
    {"winograd_wrong_constant",
     "algorithm",
     "Declares a bilinear algorithm and uses Winograd's F(4,3) for kernels three wide, with a 7 "
     "for "
     "an 8 in the transform of the outputs.",
     "a common slip",
     {.answer = [](const Problem&,
                   Answer& answer) { answer.arithmetic.algorithm = CONCORD_BILINEAR; },
      .outputs = [](Run& run) { fill_by_winograd(run, 7); }}},
};

}  // namespace

std::span<const Bug> arithmetic_bugs() { return kBugs; }

}  // namespace concord::backends::faulty
