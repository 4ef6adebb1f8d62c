// SPDX-License-Identifier: Apache-2.0
// Writing a file as a whole: a reader sees the old contents or the new ones, and a write that fails
// leaves the old ones.
#ifndef CONCORD_VECTORS_WRITE_FILE_H_
#define CONCORD_VECTORS_WRITE_FILE_H_

#include <string>
#include <string_view>

namespace concord::vectors {

/// Why write_file() would fail at `path`: a sentence naming it; empty if a file can be put there.
std::string why_not_writable(const std::string& path);

/// Writes `text` to a temporary file in the folder of `path`, brings it to the disk and renames it
/// to `path`. A symbolic link is followed; a device or a pipe is written as it is.
/// Errors  a sentence naming the path and the reason; empty on success
std::string write_file(const std::string& path, std::string_view text);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_WRITE_FILE_H_
