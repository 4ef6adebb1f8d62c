// SPDX-License-Identifier: Apache-2.0
// Prints the covering arrays of the suites, while Concord is built.
#include <cstdio>

#include "conformance/catalog/arrays.h"

int main() {
  const std::string text = concord::conformance::print_arrays(concord::conformance::find_arrays());
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
}
