// SPDX-License-Identifier: Apache-2.0
// A Problem in the structs of the plugin door.
#ifndef CONCORD_CONFORMANCE_WORKER_DOOR_PROBLEM_H_
#define CONCORD_CONFORMANCE_WORKER_DOOR_PROBLEM_H_

#include <array>
#include <memory>
#include <variant>

#include "plugin/concord_plugin.h"
#include "spec/problem.h"

namespace concord::conformance {

/// Owns the structs and what they point to, so it stays where it was made.
class DoorProblem {
 public:
  /// Errors  kRank: a tensor or an attribute of more values than the structs have room for
  static Result<std::unique_ptr<DoorProblem>> make(const Problem& problem);
  DoorProblem(const DoorProblem&) = delete;
  DoorProblem& operator=(const DoorProblem&) = delete;

  const concord_problem& get() const { return problem_; }

 private:
  DoorProblem() = default;

  concord_problem problem_{};
  std::array<concord_tensor, 3> inputs_{};
  concord_tensor output_{};
  std::variant<concord_convolution, concord_atrous_conv2d> attributes_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_DOOR_PROBLEM_H_
