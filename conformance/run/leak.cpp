// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/leak.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/worker/poison.h"

namespace concord::conformance {
namespace {

// "17", or "17 modulo 64" where the memory has so many words that several have the same.
std::string place_text(const PoisonOrigin& origin, Extent words) {
  if (words <= origin.modulus) return std::to_string(origin.index);
  return fmt::format("{} (modulo {})", origin.index, origin.modulus);
}

std::string dst_text(const PoisonOrigin& origin, Extent own, Extent words) {
  if (own % origin.modulus == origin.index) {
    return "was never written, or added to what was there";
  }
  return fmt::format("holds an earlier value of dst, {} elements from its beginning",
                     place_text(origin, words));
}

std::string input_text(const Problem& problem, const PoisonOrigin& origin) {
  const auto input = static_cast<Input>(static_cast<int>(origin.where) - 1);
  const Tensor* tensor = input_of(problem, input);
  if (tensor == nullptr) return {};
  return fmt::format("holds a value from a gap in {}, {} elements from its beginning",
                     to_string(input), place_text(origin, element_span(*tensor).value_or(0)));
}

std::string beside_text(const PoisonOrigin& origin) {
  if (origin.index >= static_cast<std::int64_t>(std::size(kInputs))) return {};
  return fmt::format("holds memory from around {}: its bounds were crossed",
                     to_string(static_cast<Input>(origin.index)));
}

std::string origin_text(const Problem& problem, const PoisonOrigin& origin, Extent own,
                        Extent words) {
  switch (origin.where) {
    case Poisoned::kDst:
      return dst_text(origin, own, words);
    case Poisoned::kBeside:
      return beside_text(origin);
    case Poisoned::kWorkspace:
      return fmt::format(
          "holds an earlier value of the workspace, {} (modulo {}) words of {} bytes from its "
          "beginning",
          origin.index, origin.modulus, size_of(problem.dtype));
    default:
      return input_text(problem, origin);
  }
}

}  // namespace

std::string describe_leak(const Problem& problem, const Tensor& dst, const Extents& index,
                          std::span<const std::byte> bytes) {
  const Extents strides = strides_of(dst);
  Extent own = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) own += index[axis] * strides[axis];
  const std::size_t at = static_cast<std::size_t>(own) * size_of(problem.dtype);
  const auto origin = origin_of(problem.dtype, bytes.subspan(at, size_of(problem.dtype)).data());
  if (!origin) return {};
  const std::string text = origin_text(problem, *origin, own, element_span(dst).value_or(0));
  return text.empty() ? text : fmt::format("dst[{}] {}", fmt::join(index, ","), text);
}

}  // namespace concord::conformance
