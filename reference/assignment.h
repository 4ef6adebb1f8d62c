// SPDX-License-Identifier: Apache-2.0
// How a refusal names a list and its value: "paddings=1,0,0,1".
#ifndef CONCORD_REFERENCE_ASSIGNMENT_H_
#define CONCORD_REFERENCE_ASSIGNMENT_H_

#include <string>

#include "spec/tensor.h"

namespace concord::reference {

/// "name=1,2,3", or "name=()" for an empty list.
inline std::string assignment(const char* name, const Extents& list) {
  std::string text;
  for (const Extent value : list) text += (text.empty() ? "" : ",") + std::to_string(value);
  return std::string(name) + "=" + (text.empty() ? "()" : text);
}

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_ASSIGNMENT_H_
