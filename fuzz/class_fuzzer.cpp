// SPDX-License-Identifier: Apache-2.0
// Any text as an arithmetic class: parse_arithmetic() answers, and what it read comes back from
// print() and has no field without a meaning.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "conformance/arithmetic/arithmetic.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

void check_class(std::string_view text) {
  const auto parsed = conformance::parse_arithmetic(text);
  if (!parsed) {
    CONCORD_CHECK(parsed.why().fault == Fault::kSyntax && !parsed.why().detail.empty());
    return;
  }
  CONCORD_CHECK(!conformance::find_unknown(*parsed)) << *conformance::find_unknown(*parsed);
  const std::string printed = conformance::print(*parsed);
  const auto again = conformance::parse_arithmetic(printed);
  CONCORD_CHECK(again && conformance::print(*again) == printed) << printed;
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_class({reinterpret_cast<const char*>(data), size});
  return 0;
}
