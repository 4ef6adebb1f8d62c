// SPDX-License-Identifier: Apache-2.0
// Shared by all our backends: the C plugin ABI on one side, a small C++ class on the other.
//
// A backend derives from Backend and ends its source with
//
//   CONCORD_BACKEND("onednn", version_text, open_plain<OneDnnBackend>)
//
// which exports concord_plugin_v1(). Exceptions end there, as CONCORD_FAULT with their text.
#ifndef CONCORD_BACKENDS_ADAPTER_ADAPTER_H_
#define CONCORD_BACKENDS_ADAPTER_ADAPTER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "plugin/concord_plugin.h"
#include "plugin_codec/refused.h"
#include "spec/problem.h"

namespace concord::backends {

/// What a backend says about a problem that it serves.
struct Answer {
  Extents dst_dims{};  ///< in the axis order of the problem's data format
  concord_arithmetic arithmetic{};
  bool same_bits_any_threads = false;
  bool bits_vary_by_run = false;
  std::string adapter_part{};    ///< what the adapter does because the library cannot
  std::string implementation{};  ///< the kernel that will run, if known
};

/// The memory of one call. Absent tensors are null with size 0.
struct Buffers {
  concord_buffer src, weights, bias, dst;
  void* workspace;
  concord_buffer diff_dst{nullptr, 0};
};

/// What prepare() built. Its destructor is release().
class Prepared {
 public:
  virtual ~Prepared() = default;
  /// Computes dst. Nothing is returned on success.
  virtual std::optional<Refused> execute(const Buffers& buffers) = 0;

  std::size_t workspace_bytes = 0;
  std::size_t workspace_alignment = 64;
};

struct PrepareOptions {
  int threads = 1;
  const void* weights = nullptr;  ///< not null: the same in every execute, may be packed now
  const void* bias = nullptr;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Or<Answer> query(const Problem& problem) = 0;
  /// `problem.dst` is set, with dims and strides.
  virtual Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                                const PrepareOptions& options) = 0;
  /// Describes in readable lines how `problem` would be computed.
  virtual Or<std::string> describe_plan(const Problem& /*problem*/, int /*threads*/) {
    return declines("");
  }
};

/// Makes a backend from the user's configuration text, or says what is wrong with the text.
using OpenBackend = Or<std::unique_ptr<Backend>> (*)(const std::string& config);

/// Copies `text` to the CONCORD_TEXT bytes at `to`, which may be null. What does not fit is cut,
/// never within a UTF-8 character; control characters become spaces, since a reason is one line.
void put_text(const std::string& text, char* to);

/// The plugin ABI's open(), for backends made by `open`.
concord_status open_backend(OpenBackend open, const char* config, void** backend, char* reason);

/// The table whose functions speak to the backends that `open` makes.
/// Errors  every function answers CONCORD_FAULT with a sentence if the host violates the header's
///         rules (null pointers, structs or buffers too small) or the backend throws
concord_plugin make_plugin(const char* name, const char* version,
                           concord_status (*open)(const char*, void**, char*));

/// An OpenBackend for a backend that takes no configuration.
template <class T>
Or<std::unique_ptr<Backend>> open_plain(const std::string& config) {
  if (!config.empty()) return invalid("this backend takes no configuration, not '" + config + "'");
  return std::unique_ptr<Backend>(std::make_unique<T>());
}

template <OpenBackend open>
concord_status open_backend(const char* config, void** backend, char* reason) {
  return open_backend(open, config, backend, reason);
}

}  // namespace concord::backends

/// Exports the plugin's one symbol. `open_function` is an OpenBackend; a template argument, because
/// the plugin ABI's open() has nowhere to keep a pointer to it.
#define CONCORD_BACKEND(name, version, open_function)                    \
  extern "C" const concord_plugin* concord_plugin_v1(void) {             \
    static const concord_plugin plugin = concord::backends::make_plugin( \
        name, version, concord::backends::open_backend<open_function>);  \
    return &plugin;                                                      \
  }

#endif  // CONCORD_BACKENDS_ADAPTER_ADAPTER_H_
