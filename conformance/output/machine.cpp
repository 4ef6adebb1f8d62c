// SPDX-License-Identifier: Apache-2.0
#include "conformance/output/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

namespace concord::conformance {
namespace {

// How the words begin by which Linux names what libraries choose their kernels by, on x86-64 and
// on aarch64.
constexpr std::string_view kVectorWords[] = {"sse4_", "avx",  "fma", "f16c", "amx",
                                             "asimd", "bf16", "sve", "sme",  "i8mm"};

bool is_of_vectors(const std::string& word) {
  return std::any_of(std::begin(kVectorWords), std::end(kVectorWords),
                     [&](std::string_view begin) { return word.starts_with(begin); });
}

}  // namespace

Machine read_cpuinfo(std::istream& text) {
  Machine machine;
  bool has_name = false;
  bool has_features = false;
  for (std::string line; std::getline(text, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name") && !has_name) {
      machine.cpu = value;
      has_name = true;
    }
    if ((line.starts_with("flags") || line.starts_with("Features")) && !has_features) {
      std::istringstream words(value);
      for (std::string word; words >> word;) {
        if (is_of_vectors(word)) machine.features.push_back(word);
      }
      has_features = true;
    }
  }
  std::sort(machine.features.begin(), machine.features.end());
  return machine;
}

Machine this_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  Machine machine = read_cpuinfo(cpuinfo);
  machine.cores = std::max(1U, std::thread::hardware_concurrency());
  utsname system{};
  uname(&system);
  machine.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  return machine;
}

}  // namespace concord::conformance
