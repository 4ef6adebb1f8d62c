// SPDX-License-Identifier: Apache-2.0
// The host's half of the door, as far as tests of backends need it: a problem as the C header has
// it, and a plugin loaded from its file.
#ifndef CONCORD_BACKENDS_ADAPTER_TO_DOOR_H_
#define CONCORD_BACKENDS_ADAPTER_TO_DOOR_H_

#include <array>
#include <string>

#include "backends/adapter/adapter.h"

namespace concord::backends {

/// A problem in the structs of the C header, which point to one another: it cannot be copied.
class DoorProblem {
 public:
  explicit DoorProblem(const Problem& problem);
  DoorProblem(const DoorProblem&) = delete;
  DoorProblem& operator=(const DoorProblem&) = delete;

  const concord_problem* get() const { return &problem_; }
  /// To spoil it with.
  concord_problem& problem() { return problem_; }
  std::array<concord_tensor, 3>& inputs() { return inputs_; }
  concord_tensor& output() { return output_; }
  concord_convolution& convolution() { return convolution_; }
  concord_atrous_conv2d& atrous() { return atrous_; }

 private:
  concord_problem problem_{};
  std::array<concord_tensor, 3> inputs_{};
  concord_tensor output_{};
  concord_convolution convolution_{};
  concord_atrous_conv2d atrous_{};
};

/// Loads the plugin at `path` and returns its table, or says why not. It is never unloaded.
Or<const concord_plugin*> load_plugin(const std::string& path);

/// The address of another symbol of the plugin at `path`, which is loaded; null if it has none.
void* find_symbol(const std::string& path, const char* symbol);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_TO_DOOR_H_
