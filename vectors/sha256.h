// SPDX-License-Identifier: Apache-2.0
#ifndef CONCORD_VECTORS_SHA256_H_
#define CONCORD_VECTORS_SHA256_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace concord::vectors {

/// The SHA-256 of `bytes` in 64 lower-case hexadecimal digits.
/// Source  FIPS 180-4
std::string sha256(std::span<const std::byte> bytes);

/// The same of a file's contents, read in parts; nothing if the file cannot be read.
std::optional<std::string> sha256_of_file(const std::string& path);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_SHA256_H_
