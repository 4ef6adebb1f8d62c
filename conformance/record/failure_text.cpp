// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/failure_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "conformance/arithmetic/arithmetic.h"

namespace concord::conformance {
namespace {

// Why `only` is what exact data give, where the wanted value is a finite number.
std::string exact_text(Dtype dtype, Rounding rounding, double want, double only) {
  if (only == want) return "which every order of summation gives";
  if (rounding == Rounding::kZero) return fmt::format("the next {} toward zero", to_string(dtype));
  if (std::isinf(only)) return fmt::format("beyond the largest {}", to_string(dtype));
  // As far from the wanted value on its other side.
  const double mirrored = 2 * want - only;
  if (round_to(dtype, mirrored) == mirrored) {
    return fmt::format("of the two nearest {} the {}", to_string(dtype),
                       rounding == Rounding::kNearestAway ? "one away from zero" : "even one");
  }
  return fmt::format("the nearest {}", to_string(dtype));
}

}  // namespace

std::string value_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);
}

std::string accepted_text(Dtype dtype, const concord_arithmetic& arithmetic,
                          const WrongElement& wrong) {
  if (!std::isfinite(wrong.want)) return value_text(wrong.want) + " alone";
  std::string text;
  if (wrong.lowest < wrong.highest) {
    text = fmt::format("from {} to {}", value_text(wrong.lowest), value_text(wrong.highest));
  } else {
    const std::string why =
        wrong.is_exact ? exact_text(dtype, output_rounding(arithmetic), wrong.want, wrong.lowest)
                       : "to which every sum within the error bound rounds";
    text = fmt::format("{} alone, {}", value_text(wrong.lowest), why);
  }
  for (const double value : wrong.besides) text += fmt::format(", or {}", value_text(value));
  return text;
}

std::string element_text(const Failure& failure) {
  return fmt::format("dst[{}]: got {}, want {}, accepted {}", fmt::join(failure.element, ","),
                     value_text(failure.got), value_text(failure.want), failure.accepted);
}

}  // namespace concord::conformance
