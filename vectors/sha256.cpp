// SPDX-License-Identifier: Apache-2.0
#include "vectors/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "spec/check.h"

namespace concord::vectors {

std::string sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  CONCORD_CHECK(done == 1 && size == 32) << "libcrypto has no SHA-256";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace concord::vectors
