// SPDX-License-Identifier: Apache-2.0
#ifndef CONCORD_VECTORS_SHA256_H_
#define CONCORD_VECTORS_SHA256_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

struct evp_md_ctx_st;  // of libcrypto

namespace concord::vectors {

/// A SHA-256 of bytes that come in parts.
/// Source  FIPS 180-4
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  /// Of all that was added, in 64 lower-case hexadecimal digits. The last call.
  std::string digits();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// The SHA-256 of `bytes` in 64 lower-case hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

/// The same of a file's contents, read in parts; nothing if the file cannot be read.
std::optional<std::string> sha256_of_file(const std::string& path);

}  // namespace concord::vectors

#endif  // CONCORD_VECTORS_SHA256_H_
