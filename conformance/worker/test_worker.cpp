// SPDX-License-Identifier: Apache-2.0
// The smallest program that a Host can start.
#include "conformance/worker/host.h"

int main(int count, char** arguments) {
  return concord::conformance::serve_host(count, arguments).value_or(2);
}
