// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/load_plugin.h"

#include <dlfcn.h>

namespace concord::backends {

Or<const concord_plugin*> load_plugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return declines(dlerror());
  void* symbol = dlsym(library, CONCORD_PLUGIN_SYMBOL);
  if (symbol == nullptr) return declines(path + " has no symbol " CONCORD_PLUGIN_SYMBOL);
  const concord_plugin* plugin = reinterpret_cast<concord_plugin_v1_function>(symbol)();
  if (plugin == nullptr || plugin->abi != CONCORD_ABI || plugin->struct_size < sizeof *plugin) {
    return declines(path + " has another ABI");
  }
  return plugin;
}

void* find_symbol(const std::string& path, const char* symbol) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, symbol);
}

}  // namespace concord::backends
