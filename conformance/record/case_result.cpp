// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/case_result.h"

#include <csignal>

namespace concord::conformance {

bool may_come_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

}  // namespace concord::conformance
