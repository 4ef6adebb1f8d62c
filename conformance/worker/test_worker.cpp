// SPDX-License-Identifier: Apache-2.0
// The smallest program that a Host can start: `test_worker worker FD SANDBOX`.
#include <cstdlib>
#include <string_view>

#include "conformance/worker/host.h"

int main(int count, char** arguments) {
  if (count != 4 || std::string_view(arguments[1]) != "worker") return 2;
  return concord::conformance::worker_main(std::atoi(arguments[2]), arguments[3]);
}
