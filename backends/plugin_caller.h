// SPDX-License-Identifier: Apache-2.0
// The host's side of the plugin ABI in the smallest form, for tests of plugins: loads a plugin and
// makes its calls. Memory that plugins get ends, or begins, at a page that nobody may touch.
#ifndef CONCORD_BACKENDS_PLUGIN_CALLER_H_
#define CONCORD_BACKENDS_PLUGIN_CALLER_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "plugin/concord_plugin.h"
#include "spec/problem.h"

namespace concord::backends {

/// Bytes between two pages that crash who touches them, flush with one of the two.
class GuardedBytes {
 public:
  GuardedBytes(std::size_t bytes, bool flush_with_end, std::byte fill);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  std::span<std::byte> bytes() { return bytes_; }

 private:
  std::byte* pages_;
  std::size_t mapped_;
  std::span<std::byte> bytes_;
};

/// A plugin in this process, opened.
class PluginCaller {
 public:
  /// Loads and opens the plugin. Throws std::runtime_error with the loader's or the plugin's
  /// reason.
  PluginCaller(const std::string& path, const std::string& config);
  ~PluginCaller();
  PluginCaller(const PluginCaller&) = delete;
  PluginCaller& operator=(const PluginCaller&) = delete;

  concord_status query(const Problem& problem, concord_answer& answer);
  /// Shapes  constants are src (never given), weights and bias, null where they are not constant
  void* prepare(const Problem& problem, int threads, const void* weights, const void* bias);
  /// Shapes  inputs as many as the problem has
  void execute(void* handle, std::span<const concord_buffer> inputs, concord_buffer dst);
  void release(void* handle) {
    workspace_bytes_.erase(handle);
    table_->release(backend_, handle);
  }

 private:
  const concord_plugin* table_ = nullptr;
  void* backend_ = nullptr;
  std::map<void*, std::size_t> workspace_bytes_{};  ///< of each handle, if not 0
};

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_PLUGIN_CALLER_H_
