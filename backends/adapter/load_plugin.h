// SPDX-License-Identifier: Apache-2.0
// A plugin loaded from its file, for tests of backends.
#ifndef CONCORD_BACKENDS_ADAPTER_LOAD_PLUGIN_H_
#define CONCORD_BACKENDS_ADAPTER_LOAD_PLUGIN_H_

#include <string>

#include "backends/adapter/adapter.h"

namespace concord::backends {

/// Loads the plugin at `path` and returns its table, or says why not. It is never unloaded.
Or<const concord_plugin*> load_plugin(const std::string& path);

/// The address of another symbol of the plugin at `path`, which is loaded; null if it has none.
void* find_symbol(const std::string& path, const char* symbol);

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_ADAPTER_LOAD_PLUGIN_H_
