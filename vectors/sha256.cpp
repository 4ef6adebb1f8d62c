// SPDX-License-Identifier: Apache-2.0
#include "vectors/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include "spec/check.h"

namespace concord::vectors {
namespace {

// Found once: that takes longer than the digest of a short text.
const EVP_MD* algorithm() {
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return sha256;
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  CONCORD_CHECK(EVP_DigestInit_ex(context_.get(), algorithm(), nullptr) == 1)
      << "libcrypto has no SHA-256";
}

void Sha256::add(std::span<const std::byte> bytes) {
  CONCORD_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1)
      << "SHA-256 failed";
}

std::string Sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CONCORD_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1 && size == 32)
      << "SHA-256 failed";
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

std::optional<std::string> sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::vector<char> part(std::size_t{1} << 20);
  Sha256 hash;
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
    hash.add(std::as_bytes(std::span(part).first(static_cast<std::size_t>(file.gcount()))));
  }
  if (!file.eof()) return std::nullopt;
  return hash.digits();
}

}  // namespace concord::vectors
