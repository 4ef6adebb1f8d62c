// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case.h"

#include "spec/check.h"

namespace concord::conformance {

std::string_view to_string(Fill fill) {
  switch (fill) {
    case Fill::kIntegers:
      return "integers";
    case Fill::kImpulse:
      return "impulse";
    case Fill::kRamp:
      return "ramp";
    case Fill::kSubnormal:
      return "subnormal";
    case Fill::kSparse:
      return "sparse";
    case Fill::kUniform:
      return "uniform";
    case Fill::kWide:
      return "wide";
    case Fill::kSpecial:
      return "special";
    case Fill::kOverflow:
      return "overflow";
    case Fill::kRecorded:
      return "recorded";
  }
  CONCORD_CHECK(false) << "fill " << static_cast<int>(fill);
  return {};
}

}  // namespace concord::conformance
