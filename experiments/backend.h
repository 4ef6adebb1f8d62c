// SPDX-License-Identifier: Apache-2.0
// Operations of a plugin, loaded through its C header: what every experiment computes with.
#ifndef CONCORD_EXPERIMENTS_BACKEND_H_
#define CONCORD_EXPERIMENTS_BACKEND_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/concord_plugin.h"
#include "spec/problem.h"

namespace concord::experiments {

/// A dense f32 tensor, last axis fastest.
struct Values {
  Extents dims{};
  std::vector<float> at{};

  Values() = default;
  explicit Values(Extents shape);  ///< all zero
  Extent size() const { return static_cast<Extent>(at.size()); }
};

/// A plugin in this process, opened. Calls never overlap.
class Backend {
 public:
  /// Throws std::runtime_error with the loader's or the plugin's reason.
  explicit Backend(const std::string& path, int threads = 1);
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// Computes a problem with dense f32 tensors; its handle is kept for the next call.
  /// Shapes  inputs in the order of the plugin header
  /// Throws  std::runtime_error with the problem and the plugin's reason if it does not serve it
  Values run(Problem problem, const std::vector<const Values*>& inputs);

  /// Bytes of workspace that the last run() had.
  std::size_t last_workspace() const { return last_workspace_; }

  const std::string& name() const { return name_; }
  int threads() const { return threads_; }

 private:
  struct Prepared {
    void* handle = nullptr;
    Extents dst_dims{};
    std::size_t workspace_bytes = 0, alignment = 64;
  };
  const Prepared& prepared(Problem problem);
  Prepared prepare(Problem problem);
  void forget();

  const concord_plugin* table_ = nullptr;
  void* backend_ = nullptr;
  std::string name_{};
  int threads_;
  std::map<std::string, Prepared> prepared_{};
  std::vector<std::byte> workspace_{};
  std::size_t last_workspace_ = 0;
};

}  // namespace concord::experiments

#endif  // CONCORD_EXPERIMENTS_BACKEND_H_
