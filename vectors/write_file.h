// SPDX-License-Identifier: Apache-2.0
// Writing a file as a whole: a reader sees the old contents or the new ones, and a write that fails
// leaves the old ones.
#ifndef CONCORD_VECTORS_WRITE_FILE_H_
#define CONCORD_VECTORS_WRITE_FILE_H_

#include <optional>
#include <string>
#include <string_view>

namespace concord::vectors {

/// Why write_file() would fail at `path`, if it would: a sentence naming it.
std::optional<std::string> why_not_writable(const std::string& path);

/// Writes `text` to a temporary file in the folder of `path`, brings it to the disk and renames it
/// to `path`. A symbolic link is followed; a device or a pipe is written as it is.
/// Errors  a sentence naming the path and the reason
std::optional<std::string> write_file(const std::string& path, std::string_view text);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_WRITE_FILE_H_
