// SPDX-License-Identifier: Apache-2.0
#ifndef CONCORD_VECTORS_SHA256_H_
#define CONCORD_VECTORS_SHA256_H_

#include <cstddef>
#include <span>
#include <string>

namespace concord::vectors {

/// The SHA-256 of `bytes` in 64 lower-case hexadecimal digits.
/// Source  FIPS 180-4
std::string sha256(std::span<const std::byte> bytes);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_SHA256_H_
