// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: the reader answers, and what it read lies inside the bytes.
#include <cstddef>
#include <cstdint>

#include "spec/check.h"
#include "vectors/npy.h"

namespace concord::fuzz {
namespace {

void check_npy(std::span<const std::byte> bytes) {
  const auto npy = vectors::parse_npy(bytes);
  if (!npy) {
    CONCORD_CHECK(npy.why().fault == Fault::kSyntax && !npy.why().detail.empty());
    return;
  }
  const auto count = element_count(npy->shape);
  CONCORD_CHECK(count &&
                static_cast<std::size_t>(*count) * size_of(npy->type) == npy->elements.size());
  CONCORD_CHECK(npy->elements.data() + npy->elements.size() == bytes.data() + bytes.size());
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_npy(std::as_bytes(std::span(data, size)));
  return 0;
}
