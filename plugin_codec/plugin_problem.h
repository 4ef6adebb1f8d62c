// SPDX-License-Identifier: Apache-2.0
// A Problem converted to the structs of the plugin ABI.
#ifndef CONCORD_PLUGIN_CODEC_PLUGIN_PROBLEM_H_
#define CONCORD_PLUGIN_CODEC_PLUGIN_PROBLEM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "plugin/concord_plugin.h"
#include "spec/operations.h"
#include "spec/problem.h"

namespace concord {

/// Owns the structs and what they point to, so it cannot be moved. Entries of tensors and lists
/// behind so many as are meant hold a large negative number.
class PluginProblem {
 public:
  /// A struct of the plugin ABI, one of those that the table of operations names.
  using Attributes = table::EachStruct<decltype(kOperationTable)>::Variant;

  /// Errors  kRank: a tensor or an attribute of more values than the structs have room for
  static Result<std::unique_ptr<PluginProblem>> make(const Problem& problem);
  /// `problem` is one for which make() has no errors.
  explicit PluginProblem(const Problem& problem);
  PluginProblem(const PluginProblem&) = delete;
  PluginProblem& operator=(const PluginProblem&) = delete;

  const concord_problem* get() const { return &problem_; }

  /// For tests that corrupt it.
  concord_problem& problem() { return problem_; }
  std::array<concord_tensor, 3>& inputs() { return inputs_; }
  concord_tensor& output() { return output_; }
  Attributes& attributes() { return attributes_; }

 private:
  PluginProblem() = default;
  std::optional<Refusal> fill(const Problem& problem);

  concord_problem problem_{};
  std::array<concord_tensor, 3> inputs_{};
  concord_tensor output_{};
  Attributes attributes_{};
};

/// A number that the plugin ABI lists by name.
struct Enumerator {
  std::string name;      ///< such as "auto_pad" or "dst's dtype"
  std::string place;     ///< in C: "attributes.auto_pad", "inputs[1].dtype", "dst.dtype"
  std::int32_t* number;  ///< in the structs
};

/// All those of `structs`, which were made from `problem`.
std::vector<Enumerator> enumerators_of(PluginProblem& structs, const Problem& problem);

/// The index of `input` among the plugin ABI's inputs; nothing if the problem has none.
std::optional<std::size_t> place_of(const Problem& problem, Input input);

}  // namespace concord

#endif  // CONCORD_PLUGIN_CODEC_PLUGIN_PROBLEM_H_
