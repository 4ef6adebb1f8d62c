// SPDX-License-Identifier: Apache-2.0
// The machine of a run, as results.json names it.
#ifndef CONCORD_CONFORMANCE_OUTPUT_MACHINE_H_
#define CONCORD_CONFORMANCE_OUTPUT_MACHINE_H_

#include <istream>
#include <string>
#include <vector>

namespace concord::conformance {

struct Machine {
  std::string cpu = "unknown";          ///< the processor's name
  std::vector<std::string> features{};  ///< its vector and matrix instructions, in Linux's words
  unsigned cores = 1;
  std::string system{};  ///< name, release and architecture
};

/// That of this process.
Machine this_machine();

/// cpu and features of a text like that of /proc/cpuinfo; of its first processor.
Machine read_cpuinfo(std::istream& text);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_MACHINE_H_
