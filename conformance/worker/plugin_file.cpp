// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/plugin_file.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace concord::conformance {
namespace {

// The table as the first version of the plugin ABI had it.
constexpr std::size_t kLeastTable = offsetof(concord_plugin, describe_plan);

}  // namespace

std::optional<std::string> fault_of_table(const concord_plugin* table) {
  if (table == nullptr) return CONCORD_PLUGIN_SYMBOL "() returns null";
  if (table->abi != CONCORD_ABI) {
    return "it speaks ABI " + std::to_string(table->abi) + "; expected " +
           std::to_string(CONCORD_ABI);
  }
  if (table->struct_size < kLeastTable) {
    return "the struct_size of its table is " + std::to_string(table->struct_size) +
           "; expected at least " + std::to_string(kLeastTable);
  }
  const struct {
    const char* name;
    bool is_null;
  } members[] = {{"name", table->name == nullptr},       {"version", table->version == nullptr},
                 {"open", table->open == nullptr},       {"close", table->close == nullptr},
                 {"query", table->query == nullptr},     {"prepare", table->prepare == nullptr},
                 {"execute", table->execute == nullptr}, {"release", table->release == nullptr}};
  for (const auto& member : members) {
    if (member.is_null) return std::string("its ") + member.name + " is null";
  }
  return std::nullopt;
}

Result<const concord_plugin*> load_plugin(const std::string& path) {
  const auto failed = [&](const std::string& reason) {
    return Refusal{Fault::kSyntax, "cannot load the plugin '" + path + "': " + reason};
  };
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return failed(std::strerror(errno));
  if (!S_ISREG(file.st_mode)) return failed("it is not a file");
  // A name without a slash would be looked for in the system's folders instead.
  const std::string file_path = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  void* symbol = dlsym(library, CONCORD_PLUGIN_SYMBOL);
  if (symbol == nullptr) return failed("it does not export " CONCORD_PLUGIN_SYMBOL);
  const auto* table = reinterpret_cast<concord_plugin_v1_function>(symbol)();
  if (const auto fault = fault_of_table(table)) return failed(*fault);
  return table;
}

}  // namespace concord::conformance
