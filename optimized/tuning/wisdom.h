// SPDX-License-Identifier: Apache-2.0
// What measurements have chosen, kept in a file: a line each, that ends with the problem.
#ifndef CONCORD_OPTIMIZED_TUNING_WISDOM_H_
#define CONCORD_OPTIMIZED_TUNING_WISDOM_H_

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "optimized/tuning/choice.h"
#include "spec/result.h"

namespace concord::optimized {

/// The choices of one file. Several threads may use one at once; several processes may share a
/// file: each appends to it, and sees what others add when it opens the file anew.
class Wisdom {
 public:
  /// Reads the file; one that is not there is made. A line that it does not understand counts for
  /// nothing: a process was stopped while it wrote, or another version of the engine wrote it. To
  /// one that may only be read nothing is added.
  /// Errors  kSyntax with the path: it cannot be read or made, or is no wisdom file
  static Result<std::shared_ptr<Wisdom>> open(const std::string& path);

  /// `setting` says what else a measurement holds for. Of two lines the later one.
  std::optional<PlanChoice> find(const std::string& setting, const std::string& problem) const;
  /// Where the file cannot be written, only this process keeps the choice: others measure anew.
  void add(const std::string& setting, const std::string& problem, const PlanChoice& choice);

 private:
  explicit Wisdom(std::string path) : path_(std::move(path)) {}
  std::optional<Refusal> read();
  bool append(const std::string& text) const;
  void take(const std::string& line);

  std::string path_;
  mutable std::mutex mutex_{};
  std::map<std::string, PlanChoice> choices_{};  // by setting and problem
};

}  // namespace concord::optimized

#endif  // CONCORD_OPTIMIZED_TUNING_WISDOM_H_
