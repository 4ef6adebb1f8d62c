// SPDX-License-Identifier: Apache-2.0
// Any text as --backend: find_backend() answers, what it found is a file or a command, and the text
// is kept as it was written.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "conformance/run/backend_spec.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

void check_backend(std::string_view text) {
  // /proc/self holds "exe", but no shared object.
  const auto found = conformance::find_backend(text, "/proc/self");
  if (!found) {
    CONCORD_CHECK(!found.why().detail.empty());
    return;
  }
  const conformance::BackendSpec& spec = *found;
  CONCORD_CHECK(spec.text == text);
  if (spec.path.empty()) {  // a command; of a program in the folder it is quoted
    CONCORD_CHECK(!spec.config.empty());
  } else {
    CONCORD_CHECK(text.ends_with(spec.config)) << spec.config;
    CONCORD_CHECK(std::filesystem::is_regular_file(spec.path)) << spec.path;
  }
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_backend({reinterpret_cast<const char*>(data), size});
  return 0;
}
