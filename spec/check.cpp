// SPDX-License-Identifier: Apache-2.0
#include "spec/check.h"

#include <cstdio>
#include <cstdlib>

namespace concord::internal {

CheckFailure::CheckFailure(const char* condition, const char* file, int line) {
  text_ << file << ":" << line << ": check failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  std::fputs((text_.str() + "\n").c_str(), stderr);
  std::abort();
}

}  // namespace concord::internal
