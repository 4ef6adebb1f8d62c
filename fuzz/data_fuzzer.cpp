// SPDX-License-Identifier: Apache-2.0
// Any text as --data, of a problem that the first line states: parse_data() answers, and what it
// read has the problem's lengths and comes back from print_data().
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "conformance/run/given_data.h"
#include "reference/reference.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

constexpr Extent kMostElements = 4096;

bool is_small(const Problem& problem) {
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor == nullptr) continue;
    const auto count = element_count(tensor->dims);
    if (!count || *count > kMostElements) return false;
  }
  return true;
}

void check_data(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return;
  const auto problem = parse(text.substr(0, end));
  if (!problem || !is_small(*problem) || !reference::resolve(*problem)) return;
  const auto inputs = conformance::parse_data(text.substr(end + 1), *problem);
  if (!inputs) {
    CONCORD_CHECK(inputs.why().fault == Fault::kSyntax && !inputs.why().detail.empty());
    return;
  }
  const std::string printed = conformance::print_data(*problem, *inputs);
  const auto again = conformance::parse_data(printed, *problem);
  CONCORD_CHECK(again) << printed;
  CONCORD_CHECK(conformance::print_data(*problem, *again) == printed) << printed;
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_data({reinterpret_cast<const char*>(data), size});
  return 0;
}
