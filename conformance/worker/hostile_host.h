// SPDX-License-Identifier: Apache-2.0
// What the tests of Host share: a host of the hostile plugin, and a small problem to try on it.
#ifndef CONCORD_CONFORMANCE_WORKER_HOSTILE_HOST_H_
#define CONCORD_CONFORMANCE_WORKER_HOSTILE_HOST_H_

#include <cstring>
#include <string>
#include <vector>

#include "conformance/worker/host.h"

namespace concord::conformance {

inline HostOptions test_options(std::chrono::milliseconds deadline = std::chrono::seconds(20)) {
  return {.deadline = deadline, .worker_program = TEST_WORKER, .memory_limit = 512u << 20};
}

/// A plugin among the tests' own, with a configuration.
inline BackendSpec test_plugin(const std::string& file, const std::string& config = "") {
  return {file + ":" + config, std::string(TEST_PLUGINS) + "/" + file + ".so", config};
}

/// src of 2x3x2, weights of 1x2x4, bias of 4 and dst of 2x3x4 elements, dst with room for 10 in
/// each of its rows: 54 elements from the first to the last, 24 of them its own.
class SmallCase {
 public:
  explicit SmallCase(const std::string& dst = "2x3x4:30x10x1")
      : problem_(*parse("Convolution f32 src=2x3x2 weights=1x2x4 bias=4 dst=" + dst +
                        " data_format=NXC weights_format=XIO")) {}

  const Problem& problem() const { return problem_; }
  Trial trial(int executions = 1) const {
    return {.problem = problem_,
            .src = std::as_bytes(std::span(src_)),
            .weights = std::as_bytes(std::span(weights_)),
            .bias = std::as_bytes(std::span(bias_)),
            .executions = executions};
  }

 private:
  Problem problem_;
  std::vector<float> src_ = std::vector<float>(12, 1), weights_ = std::vector<float>(8, 2),
                     bias_ = std::vector<float>(4, 3);
};

/// Element `index` of memory that holds f32.
inline float element(const std::vector<std::byte>& memory, std::size_t index) {
  float value = 0;
  std::memcpy(&value, &memory.at(index * sizeof value), sizeof value);
  return value;
}

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_HOSTILE_HOST_H_
