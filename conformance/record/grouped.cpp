// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/grouped.h"

namespace concord::conformance {

std::string grouped(std::size_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace concord::conformance
